import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import { announcements } from '../../lib/notifications/rows.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { ANN, BOB, startDomains, turns } from '../fakes/service.ts'

const started = async (options: Parameters<typeof startDomains>[0] = {}) => {
  const agent = createFakeAgent(() => Promise.reject(new Error('broken')))
  const service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '1' }, ...options })
  const call = createCaller(service)
  /** Lets a task fail, which is what people are told of. */
  const fail = async (title: string) => {
    const { id } = await service.run({ title })
    service.clock.advance(1)
    return id
  }
  const list = async (query = '', as = ANN) => (await call(`GET /api/notifications${query}`, { as })).body
  const waiting = async () =>
    (await service.store.page(announcements, { index: 'oldest', order: 'asc', limit: 10 })).rows.length
  return { service, call, fail, list, waiting }
}

type Wrap = NonNullable<NonNullable<Parameters<typeof startDomains>[0]>['wrapNotificationQueue']>

/** A queue that takes no message until it recovers. */
const refusingQueue = () => {
  let refuse = true
  const wrap: Wrap = (real) =>
    Object.assign(Object.create(real), {
      send: async (messages: Parameters<typeof real.send>[0]) => {
        if (refuse) throw new Problem('unavailable', 'queue_unavailable', 'not now')
        await real.send(messages)
      },
    })
  const recover = () => {
    refuse = false
  }
  return { wrap, recover }
}

describe('notifications', () => {
  it('tell of a task that failed, newest first', async () => {
    const { fail, list } = await started()
    await fail('One')
    const taskId = await fail('Two')
    const body = await list()

    expect(body).toMatchObject({ total: 2, unread: 2, count: 2, limit: 50 })
    expect(body.notifications[0]).toEqual({
      id: expect.stringMatching(/^ntf_/),
      type: 'task_failed',
      title: 'Task failed: Two',
      message: expect.stringContaining('broken'),
      taskId,
      read: false,
      createdAt: '2026-01-01T12:00:00.001Z',
    })
  })

  it('are read by one user at a time, and again without effect', async () => {
    const { fail, list, call } = await started()
    await fail('One')
    await fail('Two')
    const [, first] = (await list()).notifications
    for (let time = 0; time < 2; time++) {
      const { status, body } = await call(`POST /api/notifications/${first.id}/read`)
      expect({ status, read: body.notification.read }).toEqual({ status: 200, read: true })
    }

    const mine = await list()
    expect(mine.unread).toBe(1)
    expect(mine.notifications.map(({ read }: { read: boolean }) => read)).toEqual([false, true])
    expect((await list('', BOB)).unread).toBe(2)
    expect((await call('POST /api/notifications/ntf_none/read')).status).toBe(404)
  })

  it('are all read by read-all, those to come are not', async () => {
    const { fail, list, call } = await started()
    expect((await call('POST /api/notifications/read-all')).body).toMatchObject({ unread: 0 })
    await fail('One')
    await fail('Two')
    const first = (await list()).notifications[1]
    await call(`POST /api/notifications/${first.id}/read`)

    expect((await call('POST /api/notifications/read-all')).body).toMatchObject({ unread: 0 })
    await fail('Three')

    const body = await list()
    expect(body.unread).toBe(1)
    expect(body.notifications.map(({ read }: { read: boolean }) => read)).toEqual([false, true, true])
    expect((await list('', BOB)).unread).toBe(3)
  })

  it.each([
    ['in the same millisecond', 0],
    ['although the clock stepped back two hours', -7_200_000],
  ])('that come after read-all are unread %s', async (_name, stepMs) => {
    const { service, list, call } = await started()
    await service.run()
    await call('POST /api/notifications/read-all')
    service.clock.setWall(service.clock.now() + stepMs)
    await service.run()

    expect(await list()).toMatchObject({ unread: 1, notifications: [{ read: false }, { read: true }] })
  })

  it('that were held up are unread although read-all came in between', async () => {
    const queue = refusingQueue()
    const { service, fail, list, call } = await started({ wrapNotificationQueue: queue.wrap })
    await fail('Held up')
    queue.recover()
    await fail('In time')
    expect((await list()).total).toBe(1)
    await call('POST /api/notifications/read-all')
    await service.pass(12_000)

    expect(await list()).toMatchObject({ total: 2, unread: 1 })
  })

  it('page by cursor', async () => {
    const { fail, list } = await started()
    for (const title of ['a', 'b', 'c']) await fail(title)
    const first = await list('?limit=2')
    const second = await list(`?limit=2&cursor=${first.nextCursor}`)

    expect([...first.notifications, ...second.notifications].map(({ title }) => title.slice(-1))).toEqual([
      'c',
      'b',
      'a',
    ])
    expect(second.nextCursor).toBeUndefined()
  })

  it('are gone after ninety days, from the count of unread too', async () => {
    const { service, fail, list } = await started()
    await fail('Old')
    service.clock.advance(90 * 86_400_000)

    expect(await list()).toMatchObject({ notifications: [], total: 0, unread: 0 })
  })
})

describe('the outbox', () => {
  it('tells once although the message comes twenty times, at once and later', async () => {
    const { service, fail, list, waiting } = await started()
    await fail('One')
    const [{ id }] = (await list()).notifications
    await Promise.all(Array.from({ length: 20 }, () => service.outbox.deliver({ announcementId: id })))
    await service.outbox.deliver({ announcementId: id })

    expect(await list()).toMatchObject({ total: 1, unread: 1 })
    expect(await waiting()).toBe(0)
  })

  it('tells later what could not be sent', async () => {
    const queue = refusingQueue()
    const { service, fail, list, waiting } = await started({ wrapNotificationQueue: queue.wrap })
    await fail('One')
    expect({ told: (await list()).total, waiting: await waiting() }).toEqual({ told: 0, waiting: 1 })
    queue.recover()
    await service.pass(12_000)

    expect({ told: (await list()).total, waiting: await waiting() }).toEqual({ told: 1, waiting: 0 })
  })

  it('tells after a restart what the last process did not', async () => {
    const { service, fail } = await started({
      wrapNotificationQueue: (real) => Object.assign(Object.create(real), { send: async () => undefined }),
    })
    await fail('One')
    await service.background.stop()
    const next = await startDomains({ after: service })
    await turns()

    expect((await next.notifications.list(ANN, { limit: 50 })).total).toBe(1)
  })

  it('keeps what storage did not take', async () => {
    let refusals = 0
    const { service, fail, list } = await started({
      wrapStore: (real) => ({
        ...real,
        commit: (...change) =>
          'insert' in change[0] && change[0].insert.name === 'notifications' && refusals-- > 0
            ? Promise.reject(new Problem('unavailable', 'storage_unavailable', 'not now'))
            : real.commit(...change),
      }),
    })
    refusals = 2
    await fail('One')
    expect((await list()).total).toBe(0)
    await service.pass(5_000)

    expect(await list()).toMatchObject({ total: 1, unread: 1 })
  })
})
