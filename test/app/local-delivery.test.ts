import { describe, expect, it } from '@jest/globals'
import { createLocalDelivery, type LocalNotice, type LocalTurn } from '../../lib/app/local-delivery.ts'
import type { Channel } from '../../lib/core/collection.ts'
import { Problem } from '../../lib/core/errors.ts'
import type { Outgoing } from '../../lib/ports/queue.ts'
import type { RunTask } from '../../lib/tasks/schema.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'
import { ANN, startDomains, turns, until } from '../fakes/service.ts'
import { temporaryFolder } from '../journeys/service.ts'

const NOTICE = { to: 'notices', id: 'n', body: { kind: 'ended', taskId: 'task_1' } } as const

const opened = () => {
  const clock = createFakeClock()
  const log = createFakeLog()
  const tasks: Outgoing<RunTask>[] = []
  const notices: Outgoing<LocalNotice>[] = []
  const waited: Outgoing<LocalTurn>[] = []
  const delivery = createLocalDelivery({
    tasks: { send: async (messages) => void tasks.push(...messages) },
    notices: { send: async (messages) => void notices.push(...messages) },
    turns: { send: async (messages) => void waited.push(...messages) },
    clock,
    log,
  })
  /** How a delivery ended, if it has. */
  const delivered = (message: Parameters<typeof delivery.deliver>[0][number]) => {
    const state = { is: 'under way' }
    delivery.deliver([message]).then(
      () => {
        state.is = 'taken'
      },
      ({ message: why }: Error) => {
        state.is = why
      },
    )
    return state
  }
  return { clock, log, tasks, notices, waited, delivery, delivered }
}

describe('the delivery of messages to the queues of a process', () => {
  it('of a run is over once that is queued, with its delay, priority and group', async () => {
    const { clock, tasks, delivered } = opened()
    const body = { taskId: 'task_1', attempt: 2 }
    const notBefore = new Date(clock.now() + 1_500).toISOString()
    const state = delivered({ to: 'run', id: 'r', body, priority: 1, group: 'g', notBefore, rebuilt: true })
    await turns(1)
    expect(tasks).toEqual([{ body, priority: 1, group: 'g', delayMs: 1_500 }])
    expect(state.is).toBe('taken')
  })

  it('of a notice is over once that has been handled', async () => {
    const { notices, delivered } = opened()
    const state = delivered(NOTICE)
    await turns(1)
    expect([notices[0]?.body.notice, state.is]).toEqual([NOTICE.body, 'under way'])
    notices[0]?.body.handled()
    await turns(1)
    expect(state.is).toBe('taken')
  })

  it('of a turn is over once that has gone on', async () => {
    const { waited, delivered } = opened()
    const body = { approvalId: 'apv_1', conversationId: 'c-1' }
    const state = delivered({ to: 'turns', id: 'apv_1', body, group: 'ann' })
    await turns(1)
    expect([waited[0]?.body.turn, waited[0]?.group, state.is]).toEqual([body, 'ann', 'under way'])
    waited[0]?.body.handled()
    await turns(1)
    expect(state.is).toBe('taken')
  })

  it('rejects when the process ends, for what is under way and for what comes after', async () => {
    const { notices, delivery, delivered } = opened()
    const before = delivered(NOTICE)
    await turns(1)
    delivery.stop()
    const after = delivered(NOTICE)
    await turns(1)
    expect([before.is, after.is, notices.length]).toEqual(['The process ends', 'The process ends', 1])
  })

  it.each([
    ['a channel of another release', { to: 'elsewhere' as Channel, id: 'x', body: {} }],
    ['a notice of no known shape', { to: 'notices' as const, id: 'x', body: { kind: 'rumour' } }],
  ])('rejects and logs %s: storage delivers it again', async (_, message) => {
    const { delivery, notices, log } = opened()
    await expect(delivery.deliver([message])).rejects.toThrow()
    expect(notices).toEqual([])
    expect(log.entries).toMatchObject([
      {
        level: 'error',
        fields: { channel: message.to, messageId: 'x' },
        message: 'a message could not be queued',
      },
    ])
  })
})

const failing = () => createFakeAgent(() => Promise.reject(new Error('broken')))
const ENV = { QUEUE_RETRY_ATTEMPTS: '1' }

describe('a notice', () => {
  it('is handled again, a second later and then after twice that, while its handler rejects', async () => {
    let left = 0
    await using service = await startDomains({
      adapters: [failing()],
      env: ENV,
      wrapStore: (real) => ({
        ...real,
        commit: (...change) => {
          const [head] = change
          return 'insert' in head && head.insert.name === 'notifications' && left-- > 0
            ? Promise.reject(new Problem('unavailable', 'storage_unavailable', 'not now'))
            : real.commit(...change)
        },
      }),
    })
    left = 2
    await service.run()
    await service.pass(2_500)
    expect((await service.notifications.list(ANN, { limit: 9 })).notifications).toEqual([])
    await service.pass(1_000)
    expect((await service.notifications.list(ANN, { limit: 9 })).notifications).toHaveLength(1)
    await service.pass(120_000, 1_000)
    expect((await service.notifications.list(ANN, { limit: 9 })).notifications).toHaveLength(1)
  })

  it('that a process did not come to is handled by the next one on the same file', async () => {
    using folder = temporaryFolder()
    const file = folder.in('service.db')
    {
      await using before = await startDomains({
        file,
        adapters: [failing()],
        env: ENV,
        wrapNotificationQueue: (real) => Object.assign(Object.create(real), { send: async () => undefined }),
      })
      const { id } = await before.create({ title: 'Doomed' })
      await before.reaches(id, 'failed')
      expect((await before.notifications.list(ANN, { limit: 9 })).notifications).toEqual([])
    }
    for (const _restart of [1, 2]) {
      await using service = await startDomains({ file, env: ENV })
      const list = () => service.notifications.list(ANN, { limit: 9 })
      await until(async () => (await list()).unread > 0)
      await service.pass(5_000)
      const { notifications, unread } = await list()
      expect(notifications).toMatchObject([{ type: 'task_failed', title: 'Task failed: Doomed' }])
      expect(unread).toBe(1)
    }
  })
})
