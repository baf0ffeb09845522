import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import { readMarks } from '../../lib/notifications/rows.ts'
import type { Announce } from '../../lib/notifications/schema.ts'
import { createNotifications } from '../../lib/notifications/service.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { ANN, BOB, startDomains, until } from '../fakes/service.ts'

const DAY_MS = 86_400_000
const ANNOUNCED = {
  type: 'task_failed' as const,
  title: 'Task failed',
  message: 'broken',
  createdAt: '2026-01-01T12:00:00.000Z',
}

const announcing = (notification: Announce['notification']): Announce => ({ kind: 'announce', notification })

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
  /** Announces so many at once, without a task. */
  const announce = async (count: number) => {
    for (let n = 0; n < count; n++)
      await service.notifications.deliver(announcing({ ...ANNOUNCED, id: service.ids.next('ntf') }))
    service.clock.advance(count)
  }
  return { service, call, fail, list, announce }
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

  it('stay read when an earlier read-all is written after a later one', async () => {
    const held: (() => void)[] = []
    let isHolding = false
    const { service, fail, list, call } = await started({
      wrapStore: (store) => ({
        ...store,
        commit: async (head, ...rest) => {
          if (isHolding && 'insert' in head && head.insert.name === readMarks.name) {
            isHolding = false
            await new Promise<void>((resolve) => held.push(resolve))
          }
          return store.commit(head, ...rest)
        },
      }),
    })
    await fail('One')
    isHolding = true
    const earlier = service.notifications.readAll(ANN)
    await until(async () => held.length > 0)
    await fail('Two')
    await call('POST /api/notifications/read-all')
    for (const release of held) release()
    await earlier
    expect((await list()).unread).toBe(0)
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

describe('the number of unread notifications', () => {
  it('is that of all pages, for each user', async () => {
    const { list, call, announce } = await started()
    await announce(30)
    for (const query of ['?limit=50', '?limit=10', '?limit=10&offset=10', '?limit=10&offset=40'])
      expect(await list(query)).toMatchObject({ total: 30, unread: 30 })
    const [first, second] = (await list('?limit=10&offset=20')).notifications
    for (const { id } of [first, second, first]) await call(`POST /api/notifications/${id}/read`)
    for (const query of ['?limit=50', '?limit=10']) {
      expect(await list(query)).toMatchObject({ total: 30, unread: 28 })
      expect(await list(query, BOB)).toMatchObject({ total: 30, unread: 30 })
    }
  })

  it('begins anew with read-all, whatever was read by itself before or is after', async () => {
    const { list, call, announce } = await started()
    await announce(30)
    const { notifications } = await list('?limit=5')
    for (const { id } of notifications) await call(`POST /api/notifications/${id}/read`)
    await call('POST /api/notifications/read-all')
    for (const query of ['?limit=50', '?limit=1', '?limit=1&offset=3'])
      expect(await list(query)).toMatchObject({ total: 30, unread: 0 })
    // Read already: to read it by itself changes nothing.
    await call(`POST /api/notifications/${notifications[0].id}/read`)
    await announce(20)
    const [newest] = (await list('?limit=1')).notifications
    await call(`POST /api/notifications/${newest.id}/read`)
    for (const query of ['?limit=50', '?limit=5', '?limit=5&offset=5'])
      expect(await list(query)).toMatchObject({ total: 50, unread: 19 })
  })

  it('goes down as unread ones expire, and not as read ones do', async () => {
    const { service, list, call, announce } = await started()
    const sweep = async () => {
      while ((await service.store.sweep(100)) > 0);
    }
    await announce(20)
    await call('POST /api/notifications/read-all')
    service.clock.advance(10 * DAY_MS)
    await announce(20)
    const { id } = (await list('?limit=1')).notifications[0]
    await call(`POST /api/notifications/${id}/read`)
    expect(await list('?limit=5')).toMatchObject({ total: 40, unread: 19 })
    service.clock.advance(81 * DAY_MS)
    await sweep()
    expect(await list('?limit=5')).toMatchObject({ total: 20, unread: 19 })
    await announce(10)
    service.clock.advance(10 * DAY_MS)
    await sweep()
    expect(await list('?limit=5')).toMatchObject({ total: 10, unread: 10 })
  })

  it('is right on a first page that goes back to the mark, whatever the counters say', async () => {
    const { service, list, call, announce } = await started()
    const behind = { counters: async () => ({}) }
    const lagging = createNotifications({
      ...service,
      store: Object.assign(Object.create(service.store), behind),
    })
    await announce(30)
    expect(await lagging.list(ANN, { limit: 50 })).toMatchObject({ total: 30, unread: 30 })
    expect(await lagging.list(ANN, { limit: 10 })).toMatchObject({ total: 10, unread: 10 })
    await call('POST /api/notifications/read-all')
    await announce(4)
    expect(await lagging.list(ANN, { limit: 10 })).toMatchObject({ unread: 4 })
    expect((await list('?limit=10')).unread).toBe(4)
  })
})

describe('an announcement', () => {
  it('is stored once although it comes twenty times, at once and later', async () => {
    const { service, fail, list } = await started()
    await fail('One')
    const [{ read: _read, ...notification }] = (await list()).notifications
    await Promise.all(
      Array.from({ length: 20 }, () => service.notifications.deliver(announcing(notification))),
    )
    await service.notifications.deliver(announcing(notification))

    expect(await list()).toMatchObject({ total: 1, unread: 1 })
  })

  it('comes again when the queue did not take it', async () => {
    const queue = refusingQueue()
    const { service, fail, list } = await started({ wrapNotificationQueue: queue.wrap })
    await fail('One')
    expect((await list()).total).toBe(0)
    queue.recover()
    await service.pass(12_000)

    expect((await list()).total).toBe(1)
  })

  it('comes again when storage did not take the notification', async () => {
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

describe('a notification about a call that waits for approval', () => {
  const ADMIN = { userId: 'user_admin', role: 'admin' } as const

  it('is made for each call of a task, and for none of a conversation', async () => {
    const { service, list } = await started()
    const request = {
      ...({ tool: 'git', risk: 'write', title: 'git push', mode: 'ask' } as const),
      arguments: {},
      userId: ANN.userId,
    }
    await service.approvals.ask({ ...request, conversationId: 'conv_1' })
    const asked = { ...request, taskId: 'task_1', ttlMs: 60_000 }
    await Promise.all([1, 2].map(() => service.approvals.ask(asked)))
    await until(async () => (await list()).total > 0)
    expect((await list()).notifications).toEqual([
      {
        id: expect.stringMatching(/^ntf_/),
        type: 'approval_requested',
        taskId: 'task_1',
        read: false,
        title: 'Approval needed: git push',
        createdAt: expect.any(String),
        message: expect.stringMatching(/^A task is waiting for your decision on this call until 2026/),
      },
    ])
  })

  it('is seen, counted and read by the creator of the task and by admins', async () => {
    const { service, call, list, announce } = await started()
    await announce(3)
    for (let n = 0; n < 4; n++) {
      const notification = {
        ...ANNOUNCED,
        type: 'approval_requested' as const,
        audience: ANN.userId,
        id: service.ids.next('ntf'),
      }
      await service.notifications.deliver(announcing(notification))
      await announce(1)
    }
    const seen = async (query: string) =>
      Promise.all(
        [ANN, ADMIN, BOB].map(async (as) => {
          const { notifications, total, unread } = await list(query, as)
          return [notifications.length, total, unread]
        }),
      )
    await until(async () => (await list('?limit=2', ADMIN)).total === 11)
    expect(await seen('')).toEqual([
      [11, 11, 11],
      [11, 11, 11],
      [7, 7, 7],
    ])
    expect(await seen('?limit=2')).toEqual([
      [2, 11, 11],
      [2, 11, 11],
      [2, 7, 7],
    ])
    const [one] = (await list()).notifications.filter(({ type }: { type: string }) => type !== 'task_failed')
    expect(Object.keys(one)).not.toContain('audience')
    const read = (as: typeof ANN | typeof ADMIN) => call(`POST /api/notifications/${one.id}/read`, { as })
    expect([(await read(BOB)).status, (await read(ANN)).status]).toEqual([404, 200])
    for (const as of [BOB, ANN]) await call('POST /api/notifications/read-all', { as })
    await announce(1)
    expect(await seen('?limit=2')).toEqual([
      [2, 12, 1],
      [2, 12, 12],
      [2, 8, 1],
    ])
  })
})
