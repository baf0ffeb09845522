import { describe, expect, it } from '@jest/globals'
import { auditRows } from '../../lib/audit/rows.ts'
import { bulkJobs } from '../../lib/bulk/rows.ts'
import { Problem } from '../../lib/core/errors.ts'
import type { Store } from '../../lib/ports/store.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { type Caller, startApi } from '../fakes/caller.ts'
import { limitedStore } from '../fakes/mortal.ts'
import { ANN, BOB, turns, until } from '../fakes/service.ts'

type Job = {
  id: string
  status: string
  total: number
  done: number
  failed: number
  failures: { id: string; title?: string; error: string; code: string }[]
}

/** A service with tasks that wait, of every second of which the label is `even`. */
const withTasks = async (count: number, options: Parameters<typeof startApi>[0] = {}) => {
  const api = await startApi(options)
  const ids: string[] = []
  for (let n = 0; n < count; n += 1)
    ids.push(
      (await api.service.create({ title: `Task ${n}`, labels: n % 2 === 0 ? ['even', 'all'] : ['all'] })).id,
    )
  return { ...api, ids }
}

/** Storage that something happens before whenever a task is changed. */
const gatedStore = () => {
  const gate: { before: () => Promise<void> } = { before: async () => undefined }
  const wrapStore = (real: Store): Store => ({
    ...real,
    commit: async (head, ...rest) => {
      if ('update' in head && head.update.name === 'tasks') await gate.before()
      return real.commit(head, ...rest)
    },
  })
  return { gate, wrapStore }
}

const start = async (call: Caller, body: object, target = 'tasks'): Promise<Job> => {
  const answer = await call(`POST /api/${target}/bulk`, { body })
  expect(answer.status).toBe(202)
  return answer.body.job
}
const read = async (call: Caller, id: string): Promise<Job> => (await call(`GET /api/bulk/${id}`)).body.job
const ended = async (call: Caller, id: string): Promise<Job> => {
  await until(async () => (await read(call, id)).status !== 'running')
  return read(call, id)
}
const statuses = async (call: Caller) => {
  const { tasks } = (await call('GET /api/tasks/filter?limit=200&sortOrder=asc')).body
  return tasks.map(({ status }: { status: string }) => status)
}

describe('GET /api/bulk', () => {
  it('lists the jobs of the caller, newest first, page by page and without their failures', async () => {
    const { call, service, ids } = await withTasks(3)
    const mine: Job[] = []
    for (const id of ids) {
      mine.unshift(await start(call, { action: 'cancel', ids: [id] }))
      service.clock.advance(1_000)
    }
    const body = { action: 'cancel', ids: ['task_none'] }
    const { job: ofBob } = (await call('POST /api/tasks/bulk', { body, as: BOB })).body
    await service.bulk.runSlice({ jobId: ofBob.id, from: 0 })

    const first = (await call('GET /api/bulk?limit=2')).body
    expect(first).toMatchObject({ total: 3, count: 2, limit: 2 })
    expect(first.jobs).toEqual(mine.slice(0, 2).map(({ failures: _failures, ...job }) => job))
    const rest = (await call(`GET /api/bulk?limit=2&cursor=${encodeURIComponent(first.nextCursor)}`)).body
    expect(rest.jobs.map(({ id }: Job) => id)).toEqual([mine[2]?.id])
    expect(rest.nextCursor).toBeUndefined()
    const { jobs, total } = (await call('GET /api/bulk', { as: BOB })).body
    expect([total, jobs]).toEqual([1, [expect.objectContaining({ id: ofBob.id, failed: 1 })]])
    expect((await call(`GET /api/bulk?cursor=${first.nextCursor}`, { as: BOB })).status).toBe(400)
    expect((await call('GET /api/bulk?limit=201')).status).toBe(400)
  })
})

describe('POST /api/tasks/bulk', () => {
  it.each([
    [{ filter: { labels: ['even', 'all'], status: ['queued'] } }, 3],
    [{ filter: { labels: 'even, all', status: 'queued,pending', priority: '3,4' } }, 3],
    [{ filter: { q: 'task 1', priority: [3] } }, 1],
    [{ filter: { source: 'cron' } }, 0],
    [{ filter: {} }, 5],
    [{ filter: { limit: 2, sortOrder: 'asc' } }, 2],
  ])('tells of a dry run of %j that it is about %d tasks, and changes nothing', async (selection, count) => {
    const { call, ids } = await withTasks(5)
    const { status, body } = await call('POST /api/tasks/bulk', {
      body: { action: 'cancel', ...selection, dryRun: true },
    })

    expect({ status, count: body.count }).toEqual({ status: 200, count })
    expect(body.sample).toHaveLength(count)
    for (const one of body.sample)
      expect(one).toEqual({ id: expect.any(String), title: expect.any(String), status: 'queued' })
    expect(await statuses(call)).toEqual(ids.map(() => 'queued'))
  })

  it.each([
    ['tasks', 'cancel', 1],
    ['tasks', 'retry', 2],
    ['dlq', 'retry', 1],
    ['dlq', 'discard', 1],
  ])('counts of ids of %s in a dry run of %s those that exist and fit: %d', async (target, action, count) => {
    const { call, service, ids } = await withTasks(3)
    const [queued = '', cancelled = '', failed = ''] = ids
    await service.tasks.cancel(ANN, cancelled)
    for (const taskId of [failed, (await service.create()).id])
      await service.tasks.lease.markUndeliverable({ taskId, attempt: 1 }, { code: 'lost', message: 'Lost' })
    const letters: { id: string; taskId: string }[] = (await call('GET /api/dlq')).body.items
    await call(`POST /api/dlq/${letters.find(({ taskId }) => taskId !== failed)?.id}/discard`)
    const fitting = {
      cancel: [queued],
      retry: target === 'tasks' ? [cancelled, failed] : [failed],
      discard: [failed],
    }[action]
    const given = target === 'tasks' ? ids : letters.map(({ id }) => id)
    const body = { action, ids: ['none', ...given, ...given], dryRun: true }
    const { body: answer } = await call(`POST /api/${target}/bulk`, { body })

    expect(answer.count).toBe(count)
    expect(answer.sample.map(({ id, taskId = id }: { id: string; taskId?: string }) => taskId)).toEqual(
      fitting,
    )
    const tooMany = Array.from({ length: 10_001 }, (_, n) => `task_${n}`)
    const refused = await call(`POST /api/${target}/bulk`, { body: { action, ids: tooMany, dryRun: true } })
    expect(refused.body.code).toBe('bulk_too_large')
  })

  it('does to each what the single action does, and lists those that it was refused for', async () => {
    const { call, service, ids } = await withTasks(4)
    await service.tasks.cancel(ANN, ids[1] as string)
    const { id, ...job } = await start(call, { action: 'cancel', ids: [...ids, 'task_none'] })
    expect(job).toMatchObject({ action: 'cancel', target: 'tasks', total: 5, createdBy: ANN.userId })
    await service.bulk.runSlice({ jobId: id, from: 0 })

    const over = await read(call, id)
    expect(over).toMatchObject({ status: 'completed', total: 5, done: 3, failed: 2 })
    const error = 'The task is already cancelled'
    expect(over.failures).toEqual([
      { id: ids[1], title: 'Task 1', code: 'task_state_conflict', error },
      { id: 'task_none', code: 'task_not_found', error: 'Task not found' },
    ])
  })

  it('lists a failure without a title where its task cannot be read', async () => {
    let isBroken = false
    const wrapStore = (real: Store): Store => ({
      ...real,
      get: async (of, ...rest) => {
        if (isBroken && of.name === 'tasks') throw new Error('unreadable')
        return real.get(of, ...rest)
      },
    })
    const { call, service, ids } = await withTasks(1, { wrapStore })
    const { id } = await start(call, { action: 'cancel', ids })
    isBroken = true
    await service.bulk.runSlice({ jobId: id, from: 0 })
    const { status, failures } = await read(call, id)
    expect([status, failures]).toEqual([
      'completed',
      [{ id: ids[0], code: 'internal_error', error: 'Internal error' }],
    ])
  })

  it('goes slice by slice by messages of storage, on what was there when it was asked for', async () => {
    const { call, service, ids } = await withTasks(120, { adapters: [createFakeAgent(HOLD)] })
    const { id } = await start(call, { action: 'cancel', filter: { labels: ['all'] } })
    const later = await service.create({ labels: ['all'] })
    await service.background.start()

    expect(await ended(call, id)).toMatchObject({ total: 120, done: 120, failed: 0, failures: [] })
    for (const task of ids) expect((await service.tasks.get(task)).status).toBe('cancelled')
    expect((await service.tasks.get(later.id)).status).not.toBe('cancelled')
    expect(await service.counters.byStatus()).toMatchObject({ cancelled: 120 })
  })

  it('ends at once where nothing is selected', async () => {
    const { call } = await withTasks(1)
    const job = await start(call, { action: 'retry', filter: { status: ['failed'] } })
    expect(job).toMatchObject({ status: 'completed', total: 0, done: 0, failed: 0 })
  })

  it.each([
    ['neither ids nor a filter', { action: 'cancel' }, 'ids'],
    ['both', { action: 'cancel', ids: ['a'], filter: {} }, 'ids'],
    ['ids, as all', { action: 'cancel', ids: ['a'], all: true }, 'all'],
    ['no ids', { action: 'cancel', ids: [] }, 'ids'],
    ['an action of dead letters', { action: 'discard', ids: ['a'] }, 'action'],
    ['a filter that would be ignored', { action: 'cancel', filter: { label: 'x' } }, 'filter'],
    ['an unknown state', { action: 'cancel', filter: { status: 'done' } }, 'filter.status'],
    [
      'a group and more',
      { action: 'retry', filter: { fingerprint: '0'.repeat(16), q: 'x' } },
      'filter.fingerprint',
    ],
    [
      'those of a group that were retried, of which none waits',
      { action: 'retry', filter: { fingerprint: '0'.repeat(16), retried: true } },
      'filter.fingerprint',
    ],
  ])('refuses %s', async (_, body, path) => {
    const { call } = await withTasks(1)
    const answer = await call('POST /api/tasks/bulk', { body })
    expect(answer.status).toBe(400)
    expect(answer.body.details[0].path).toBe(path)
    expect(await statuses(call)).toEqual(['queued'])
  })

  it('refuses more than a job may have, and says what to do', async () => {
    const { call } = await startApi()
    const ids = Array.from({ length: 10_001 }, (_, n) => `task_${n}`)
    const { status, body } = await call('POST /api/tasks/bulk', { body: { action: 'cancel', ids } })
    expect({ status, code: body.code }).toEqual({ status: 413, code: 'bulk_too_large' })
    expect(body.error).toMatch(/Narrow the filter/)
  })

  it('is on record with who asked for it, and for what', async () => {
    const { call, service } = await withTasks(2)
    const { id } = await start(call, { action: 'cancel', filter: { labels: 'even' } })
    await call(`POST /api/bulk/${id}/cancel`, { as: BOB })
    const { rows } = await service.store.page(auditRows, { index: 'newest', order: 'asc', limit: 9 })
    expect(rows).toMatchObject([
      {
        action: 'bulk.start',
        userId: ANN.userId,
        details: { id, target: 'tasks', action: 'cancel', total: 1, filter: { labels: ['even'] } },
      },
      { action: 'bulk.cancel', userId: BOB.userId, details: { id, done: 0, failed: 0 } },
    ])
  })
})

describe('POST /api/tasks/bulk with a filter that chooses all', () => {
  const CONFIRM = /matches everything\. Add a field such as status or limit, or send "all": true to confirm$/
  it.each([
    ['retry', {}],
    ['retry', { sortOrder: 'asc', retried: false }],
    ['cancel', {}],
  ])(
    'is refused for %s of %j until it is confirmed, and says both ways; a dry run needs no word',
    async (action, filter) => {
      const { call } = await startApi()
      const answer = (body: object) => call('POST /api/tasks/bulk', { body: { action, filter, ...body } })
      const { status, body } = await answer({})
      expect([status, body.details]).toEqual([
        400,
        [{ path: 'filter', message: expect.stringMatching(CONFIRM) }],
      ])
      expect((await answer({ dryRun: true })).status).toBe(200)
      expect((await answer({ all: true })).status).toBe(202)
      expect((await answer({ filter: { limit: 1 } })).status).toBe(202)
    },
  )
})

describe('a bulk retry that is asked for again', () => {
  it('of `retried: false` goes on where the first was stopped, and then finds nothing', async () => {
    const { commits, wrapStore } = limitedStore()
    const { call, service, ids } = await withTasks(5, { wrapStore })
    for (const id of ids) await service.tasks.cancel(ANN, id)
    const filter = { status: 'cancelled', sortOrder: 'asc' }
    const count = async (retried?: unknown) => {
      const body = { action: 'retry', filter: { ...filter, retried }, dryRun: true }
      return (await call('POST /api/tasks/bulk', { body })).body.count
    }
    const first = await start(call, { action: 'retry', filter: { ...filter, retried: false } })
    commits.left = 2
    await service.bulk.runSlice({ jobId: first.id, from: 0 }).catch(() => undefined)
    commits.left = Number.POSITIVE_INFINITY
    await call(`POST /api/bulk/${first.id}/cancel`)
    expect([await count(false), await count('true'), await count()]).toEqual([3, 2, 5])

    const second = await start(call, { action: 'retry', filter: { ...filter, retried: 'false' } })
    await service.bulk.runSlice({ jobId: second.id, from: 0 })
    expect(await read(call, second.id)).toMatchObject({ total: 3, done: 3, failed: 0 })
    expect([await count(false), await count(true)]).toEqual([0, 5])
    const retried = (await call('GET /api/tasks/filter?retried=true&sortOrder=asc')).body.tasks
    expect(retried.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect((await call('GET /api/tasks/filter?retried=false')).body.total).toBe(5)
  })
})

describe('two bulk retries at the same time', () => {
  it.each([
    ['a filter', () => ({ filter: { labels: ['all'] } })],
    ['a filter of `retried: false`', () => ({ filter: { labels: ['all'], retried: false } })],
    ['ids', (ids: string[]) => ({ ids })],
  ])('of %s run no task twice, and the later one lists what the other retried', async (_, chosen) => {
    const { call, service, ids } = await withTasks(3)
    for (const id of ids) await service.tasks.cancel(ANN, id)
    const body = { action: 'retry', ...chosen(ids) }
    const jobs = [await start(call, body), await start(call, body)]
    service.clock.advance(1_000)
    for (const { id } of jobs) await service.bulk.runSlice({ jobId: id, from: 0 })

    const [first, second] = await Promise.all(jobs.map(({ id }) => read(call, id)))
    expect([first, second]).toMatchObject([
      { done: 3, failed: 0 },
      { done: 0, failed: 3, failures: ids.map(() => ({ code: 'task_state_conflict' })) },
    ])
    expect((await call('GET /api/tasks/filter?status=queued')).body.total).toBe(3)
    service.clock.advance(1_000)
    const third = await start(call, { action: 'retry', ids })
    await service.bulk.runSlice({ jobId: third.id, from: 0 })
    expect(await read(call, third.id)).toMatchObject({ done: 3, failed: 0 })
  })
})

describe('a bulk job', () => {
  it('retries each task once, however often its messages come and whatever dies in the middle', async () => {
    const { commits, wrapStore } = limitedStore()
    const { call, service, ids } = await withTasks(60, { wrapStore })
    for (const id of ids) await service.tasks.cancel(ANN, id)
    const { id: jobId } = await start(call, { action: 'retry', ids })
    for (let life = 0; life < 8; life += 1) {
      commits.left = 7
      await Promise.allSettled(
        [0, 50].flatMap((from) => [1, 2].map(() => service.bulk.runSlice({ jobId, from }))),
      )
    }
    commits.left = Number.POSITIVE_INFINITY
    expect((await read(call, jobId)).status).toBe('running')
    await service.bulk.runSlice({ jobId, from: 0 })
    await service.bulk.runSlice({ jobId, from: 50 })

    expect(await read(call, jobId)).toMatchObject({
      status: 'running',
      done: 60,
      failed: 0,
      results: { completed: 0, failed: 0, running: 60 },
    })
    const { tasks } = (await call('GET /api/tasks/filter?limit=200&status=queued')).body
    const sources = tasks.map(({ retriedFrom }: { retriedFrom: string }) => retriedFrom)
    expect(sources.toSorted()).toEqual(ids.toSorted())
  })

  it('tries an item again that storage was too busy for', async () => {
    const { gate, wrapStore } = gatedStore()
    const { call, service, ids } = await withTasks(2, { wrapStore })
    const { id: jobId } = await start(call, { action: 'cancel', ids })
    gate.before = () => Promise.reject(new Problem('unavailable', 'storage_unavailable', 'not now'))
    await expect(service.bulk.runSlice({ jobId, from: 0 })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(await read(call, jobId)).toMatchObject({ done: 0, failed: 0 })
    gate.before = async () => undefined
    await service.bulk.runSlice({ jobId, from: 0 })
    expect(await read(call, jobId)).toMatchObject({ done: 2, failed: 0 })
  })

  it('does nothing more once it is stopped, its item of that moment neither', async () => {
    const { gate, wrapStore } = gatedStore()
    const { call, service, ids } = await withTasks(2, { wrapStore })
    const { id: jobId } = await start(call, { action: 'cancel', ids })
    gate.before = async () => void (await service.bulk.cancel(BOB, jobId))
    await service.bulk.runSlice({ jobId, from: 0 })
    expect(await read(call, jobId)).toMatchObject({ status: 'cancelled', done: 0, failed: 0 })
    expect(await statuses(call)).toEqual(['queued', 'queued'])
  })

  it('stops when it is told to: what it has done stays, and nothing more is done', async () => {
    const { commits, wrapStore } = limitedStore()
    const { call, service, ids } = await withTasks(3, { wrapStore })
    const { id: jobId } = await start(call, { action: 'cancel', filter: { sortOrder: 'asc' }, all: true })
    commits.left = 1
    await service.bulk.runSlice({ jobId, from: 0 }).catch(() => undefined)
    commits.left = Number.POSITIVE_INFINITY
    const { body } = await call(`POST /api/bulk/${jobId}/cancel`)
    expect(body.job).toMatchObject({ status: 'cancelled', total: 3, done: 1, endedAt: expect.any(String) })
    await service.bulk.runSlice({ jobId, from: 0 })

    expect(await read(call, jobId)).toEqual(body.job)
    expect(await statuses(call)).toEqual(['cancelled', 'queued', 'queued'])
    expect(ids).toHaveLength(3)
    expect((await call(`POST /api/bulk/${jobId}/cancel`)).body.job).toEqual(body.job)
  })

  it('lists no more than its first 100 failures, and counts the others', async () => {
    const { call, service } = await startApi()
    const ids = Array.from({ length: 130 }, (_, n) => `task_${n}`)
    const { id } = await start(call, { action: 'retry', ids })
    await service.background.start()
    const job = await ended(call, id)
    expect(job).toMatchObject({ done: 0, failed: 130 })
    expect(job.failures.map((failure) => failure.id)).toEqual(ids.slice(0, 100))
  })

  it('says on the live stream how far it is', async () => {
    const { call, service, ids } = await withTasks(2, { adapters: [createFakeAgent(HOLD)] })
    const gone = new AbortController()
    const types = new Set<string>()
    const watching = (async () => {
      for await (const { type, data } of await service.live.follow(BOB, '', gone.signal)) {
        if (!type.startsWith('bulk.')) continue
        types.add(type)
        if ((data as Job).status === 'completed') return data
      }
    })()
    await turns()
    const { id } = await start(call, { action: 'cancel', ids })
    await service.background.start()
    await ended(call, id)
    await service.pass(1_000)
    const last = await watching
    gone.abort()
    expect(last).toEqual(expect.objectContaining({ id, done: 2, total: 2, action: 'cancel' }))
    expect([...types].every((type) => ['bulk.created', 'bulk.updated'].includes(type))).toBe(true)
    for (const field of ['at', 'role', 'expiresAt']) expect(last).not.toHaveProperty(field)
  })

  it.each(['GET /api/bulk/bulk_none', 'POST /api/bulk/bulk_none/cancel'])(
    'answers 404 to %s',
    async (request) => {
      const { call } = await startApi()
      const { status, body } = await call(request)
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'bulk_job_not_found' })
    },
  )

  it('goes on by a message of the tick where its own was lost, once for each 10 minutes that it stands still', async () => {
    const dropped: object[] = []
    const { call, service } = await startApi({
      wrapNotificationQueue: (queue) => ({
        ...queue,
        send: async (messages) => {
          for (const message of messages) {
            const { notice } = message.body
            if (notice.kind === 'bulk' && dropped.length < 2) dropped.push(notice)
            else await queue.send([message])
          }
        },
      }),
    })
    const { id } = await start(call, { action: 'cancel', ids: ['task_none', 'task_gone'] })
    await service.background.start()
    await until(() => dropped.length === 1)
    await service.pass(9 * 60_000, 30_000)
    expect(dropped).toHaveLength(1)
    await service.pass(3 * 60_000, 30_000)
    expect(dropped).toHaveLength(2)
    expect(await read(call, id)).toMatchObject({ status: 'running', failed: 0 })
    await service.pass(12 * 60_000, 30_000)
    expect(await read(call, id)).toMatchObject({ status: 'completed', failed: 2 })
  })

  it('goes on in messages that name the request which it is of', async () => {
    const notices: object[] = []
    const { call, service } = await startApi({
      wrapNotificationQueue: (queue) => ({
        ...queue,
        send: async (messages) => {
          for (const { body } of messages) if (body.notice.kind === 'bulk') notices.push(body.notice)
          await queue.send(messages)
        },
      }),
    })
    const ids = Array.from({ length: 60 }, (_, n) => `task_${n}`)
    const answer = await call('POST /api/tasks/bulk', { body: { action: 'cancel', ids } })
    const trace = { requestId: answer.headers['x-request-id'] }
    await service.background.start()
    await ended(call, answer.body.job.id)
    expect(notices).toMatchObject([
      { from: 0, trace },
      { from: 50, trace },
    ])
  })

  it('is forgotten with its items', async () => {
    const { call, service, ids } = await withTasks(2)
    const { id } = await start(call, { action: 'cancel', ids })
    service.clock.advance(31 * 86_400_000)
    expect(await service.store.get(bulkJobs, id)).toBeUndefined()
    await service.bulk.runSlice({ jobId: id, from: 0 })
    expect(await statuses(call)).toEqual(['queued', 'queued'])
  })
})
