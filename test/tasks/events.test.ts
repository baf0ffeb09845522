import { describe, expect, it } from '@jest/globals'
import { tasks } from '../../lib/tasks/rows.ts'
import type { TaskEvent } from '../../lib/tasks/schema.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { startApi } from '../fakes/caller.ts'
import { startDomains, turns } from '../fakes/service.ts'
import { storeIn } from './samples.ts'

/** Parts of a log of three, by the places of its events, where `after` names one by its place. */
const PARTS: [range: { after?: number; limit?: number }, places: number[]][] = [
  [{}, [0, 1, 2]],
  [{ limit: 1 }, [0]],
  [{ limit: 2 }, [0, 1]],
  [{ limit: 3 }, [0, 1, 2]],
  [{ limit: 200 }, [0, 1, 2]],
  [{ after: 0 }, [1, 2]],
  [{ after: 0, limit: 1 }, [1]],
  [{ after: 1, limit: 200 }, [2]],
  [{ after: 2 }, []],
]

describe('a part of the log of a task', () => {
  it('is what was asked for, over HTTP from SQLite', async () => {
    await using api = await startApi()
    const { id } = (await api.call('POST /api/tasks', { body: { title: 'A task' } })).body.task
    await api.call(`POST /api/tasks/${id}/cancel`)
    const log: TaskEvent[] = (await api.call(`GET /api/tasks/${id}/events`)).body.events
    expect(log.map(({ type }) => type)).toEqual(['created', 'queued', 'cancelled'])
    for (const [{ after, limit }, places] of PARTS) {
      const query = new URLSearchParams({
        ...(after === undefined ? {} : { after: String(log[after]?.id) }),
        ...(limit === undefined ? {} : { limit: String(limit) }),
      })
      const { status, body } = await api.call(`GET /api/tasks/${id}/events?${query}`)
      const events = places.map((at) => log[at])
      expect({ status, body }).toEqual({ status: 200, body: { taskId: id, events, count: events.length } })
    }
  })

  it.each([
    ['after=evt_none', 'after'],
    ['after=', 'after'],
    ['after=evt_other', 'after'],
    [`after=${'x'.repeat(201)}`, 'after'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=all', 'limit'],
    ['limit=', 'limit'],
  ])('is refused with 400 that names what is wrong: %s', async (query, path) => {
    await using api = await startApi()
    const { id } = (await api.call('POST /api/tasks', { body: { title: 'Another' } })).body.task
    await storeIn(api.service, 'queued')
    const other = (await api.call(`GET /api/tasks/${id}/events?limit=1`)).body.events[0].id
    const { status, body } = await api.call(
      `GET /api/tasks/task_sample/events?${query.replace('evt_other', other)}`,
    )
    expect({ status, details: body.details }).toMatchObject({ status: 400, details: [{ path }] })
  })

  it('is 404 of a task that there is not', async () => {
    await using api = await startApi()
    expect((await api.call('GET /api/tasks/task_none/events?after=evt_none')).status).toBe(404)
  })
})

describe('the progress of a task', () => {
  it('costs no more to poll when it is long', async () => {
    let read = 0
    await using service = await startDomains({
      background: false,
      wrapStore: (real) =>
        Object.assign(Object.create(real), {
          page: async (...[of, query]: Parameters<typeof real.page>) => {
            const page = await real.page(of, query)
            read += page.rows.length
            return page
          },
        }),
    })
    const rowsReadBy = async <T>(work: Promise<T>): Promise<[T, number]> => {
      read = 0
      return [await work, read]
    }
    const { id } = await service.create()
    const leased = await service.tasks.lease.claim({ taskId: id, attempt: 1 })
    if (leased === undefined) throw new Error('it was not claimed')
    expect(await rowsReadBy(service.tasks.lastProgress(id))).toEqual([undefined, 0])
    for (let step = 0; step < 300; step++) await service.tasks.lease.renew(leased, `step ${step}`)
    const { events } = await service.tasks.events(id)
    expect(events.map(({ type }) => type)).toEqual([
      ...['created', 'queued', 'started'],
      ...Array.from({ length: 300 }, () => 'progress'),
    ])

    expect(await rowsReadBy(service.tasks.lastProgress(id))).toEqual(['step 299', 1])
    for (const [at, limit] of [
      [0, 2],
      [2, 5],
      [100, 7],
      [302, 9],
    ] as const) {
      const [part, rows] = await rowsReadBy(service.tasks.events(id, { after: events[at]?.id ?? '', limit }))
      expect(part.events).toEqual(events.slice(at + 1, at + 1 + limit))
      expect(rows).toBeLessThanOrEqual(limit + 1)
    }
  })
})

describe('the log of a task', () => {
  it('begins with an entry for each of the two events of a new task', async () => {
    await using service = await startDomains({ background: false })
    const { id } = await service.create()
    const entries = await service.store.log(tasks, id)
    const { events } = await service.tasks.events(id)
    expect(entries.map((entry) => [entry.id, entry.type])).toEqual(
      events.map((event) => [event.id, event.type]),
    )
    expect(events.map(({ type, message }) => [type, message])).toEqual([
      ['created', undefined],
      ['queued', undefined],
    ])
  })

  it('says of each event what, when, and of a run which agent and attempt', async () => {
    const agent = createFakeAgent(async (_task, { attempt, progress }) => {
      progress('half way')
      if (attempt === 1) throw Object.assign(new Error('no disk'), { code: 'disk_full' })
      return { success: true, output: 'done' }
    })
    await using service = await startDomains({ adapters: [agent] })
    const { id } = await service.create({ metadata: { workflow: 'bug-fix', other: 1 } })
    await turns()
    await service.pass(1_500, 500)
    const { events } = await service.tasks.events(id)

    const run = (attempt: number) => ({ agent: 'test-agent', attempt })
    const workflow = { metadata: { workflow: 'bug-fix' } }
    const failure = { message: 'no disk', metadata: { code: 'disk_full', delayMs: 1_000 } }
    const [first, second] = ['2026-01-01T12:00:00.000Z', '2026-01-01T12:00:01.000Z']
    expect(events).toEqual(
      [
        { type: 'created', timestamp: first },
        { type: 'queued', timestamp: first },
        { type: 'started', timestamp: first, ...run(1), ...workflow },
        { type: 'progress', timestamp: first, ...run(1), message: 'half way' },
        { type: 'retrying', timestamp: first, ...run(1), ...failure },
        { type: 'started', timestamp: second, ...run(2), ...workflow },
        { type: 'progress', timestamp: second, ...run(2), message: 'half way' },
        { type: 'completed', timestamp: second, ...run(2) },
      ].map((event) => ({ id: expect.stringMatching(/^evt_[0-9A-Z]{26}$/), taskId: id, ...event })),
    )
    const ids = events.map((event) => event.id)
    expect(ids).toEqual(ids.toSorted())
  })
})
