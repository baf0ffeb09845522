import { describe, expect, it } from '@jest/globals'
import { createFakeAgent } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { limitedStore } from '../fakes/mortal.ts'
import { ANN, type StartedDomains, startDomains, turns } from '../fakes/service.ts'

/** A service in which `count` tasks have failed; from then on its agent does what `then` says. */
const withDead = async (
  count = 1,
  then: () => Promise<never> | Promise<unknown> = async () => ({ success: true, output: '' }),
) => {
  let failing = true
  const agent = createFakeAgent(() => (failing ? Promise.reject(new Error('broken')) : then()) as never)
  const service = await startDomains({
    adapters: [agent],
    env: { QUEUE_RETRY_ATTEMPTS: '2', QUEUE_RETRY_BACKOFF_MS: '0' },
  })
  const ids: string[] = []
  for (let at = 0; at < count; at++) ids.push((await service.run({ title: `Dead ${at}` })).id)
  await turns(30)
  failing = false
  const call = createCaller(service)
  const items = (await call('GET /api/dlq')).body.items
  return { service, agent, call, ids, taskId: ids[0] as string, item: items.at(-1), items }
}

const LOST = { code: 'undeliverable', message: 'The queue gave up on its message' }

const UNREADABLE = {
  messageId: 'b1a5b4f6-d3f8-4b5d-9f1d-2c7e6a5b4c3d',
  taskId: 'unknown',
  reason: 'not_json: {',
}

describe('POST /api/dlq/:id/retry', () => {
  it('queues the same task with its attempts back at 0, and resolves the item', async () => {
    const { call, item, service, taskId, agent } = await withDead()
    const before = agent.runs.length
    const { status, body } = await call(`POST /api/dlq/${item.id}/retry`)

    expect(status).toBe(200)
    expect(body).toMatchObject({
      message: expect.any(String),
      item: { id: item.id, taskId, status: 'resolved', resolution: { by: 'user_ann', taskId } },
    })
    expect(body.task).toMatchObject({ id: taskId, status: 'queued', attempts: 0 })
    for (const field of ['error', 'completedAt', 'startedAt']) expect(body.task).not.toHaveProperty(field)
    await turns()

    expect(await service.tasks.get(taskId)).toMatchObject({ status: 'completed', attempts: 1 })
    expect(agent.runs.slice(before).map(({ attempt }) => attempt)).toEqual([1])
    expect(await service.deadLetters.countAll()).toEqual({ pending: 0, resolved: 1, discarded: 0, total: 1 })
    expect((await service.eventTypes(taskId)).slice(-3)).toEqual(['retried', 'started', 'completed'])
  })

  it('gives the task all its attempts again, and a new item when they fail too', async () => {
    const { call, item, service, taskId } = await withDead(1, () => Promise.reject(new Error('still broken')))
    await call(`POST /api/dlq/${item.id}/retry`)
    await turns(30)

    expect(await service.tasks.get(taskId)).toMatchObject({ status: 'failed', attempts: 2 })
    expect((await call('GET /api/dlq')).body.items).toMatchObject([{ taskId, lastError: 'still broken' }])
    expect(await service.deadLetters.countAll()).toEqual({ pending: 1, resolved: 1, discarded: 0, total: 2 })
    expect((await service.notifications.list(ANN, { limit: 50 })).unread).toBe(2)
  })

  it('leaves a task alone that has failed again since', async () => {
    const { call, item, service, taskId } = await withDead(1, () => Promise.reject(new Error('still broken')))
    const earlier = service.tasks.redrive.retryWrite(await service.tasks.get(taskId))
    service.clock.advance(1_000)
    await call(`POST /api/dlq/${item.id}/retry`)
    await turns(30)
    const failed = await service.tasks.get(taskId)
    expect(failed).toMatchObject({ status: 'failed', attempts: 2 })

    expect(await service.store.commit(earlier)).toMatchObject({ applied: false })
    expect((await call(`POST /api/dlq/${item.id}/retry`)).body.code).toBe('dead_letter_not_pending')
    expect(await service.tasks.get(taskId)).toEqual(failed)
    expect(await service.deadLetters.countAll()).toMatchObject({ pending: 1, total: 2 })
  })

  it('moves the task and closes the item in one commit', async () => {
    const { commits, wrapStore } = limitedStore()
    const service = await startDomains({ background: false, wrapStore })
    const call = createCaller(service)
    const { id } = await service.create()
    await service.tasks.lease.markUndeliverable({ taskId: id, attempt: 1 }, LOST)
    const [item] = (await call('GET /api/dlq')).body.items
    const stored = async () => [
      (await service.tasks.get(id)).status,
      (await service.eventTypes(id)).at(-1),
      await service.deadLetters.countAll(),
    ]
    const before = await stored()
    commits.left = 0
    expect((await call(`POST /api/dlq/${item.id}/retry`)).status).toBe(503)
    expect(await stored()).toEqual(before)
    commits.left = 1
    expect((await call(`POST /api/dlq/${item.id}/retry`)).status).toBe(200)
    expect(await stored()).toEqual(['queued', 'retried', { pending: 0, resolved: 1, discarded: 0, total: 1 }])
  })

  it('takes effect once when asked ten times at once', async () => {
    const { call, item, service, taskId, agent } = await withDead()
    const before = agent.runs.length
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call(`POST /api/dlq/${item.id}/retry`)),
    )
    await turns()

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
    expect(agent.runs.length - before).toBe(1)
    expect((await service.eventTypes(taskId)).filter((type) => type === 'retried')).toHaveLength(1)
    expect(await service.counters.byStatus()).toMatchObject({ failed: 0, completed: 1 })
  })

  it('or discard takes effect, never both', async () => {
    const { call, item, service } = await withDead()
    const answers = await Promise.all([
      call(`POST /api/dlq/${item.id}/discard`),
      call(`POST /api/dlq/${item.id}/retry`),
    ])

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const { pending, resolved, discarded } = await service.deadLetters.countAll()
    expect([pending, resolved + discarded]).toEqual([0, 1])
  })
})

describe('POST /api/tasks/:id/retry', () => {
  it('resolves the pending dead letter of the task, and names the new one in it', async () => {
    const { call, item, service, taskId } = await withDead()
    const { status, body } = await call(`POST /api/tasks/${taskId}/retry`)
    expect({ status, originalTaskId: body.originalTaskId }).toEqual({ status: 200, originalTaskId: taskId })
    expect(body.task).toMatchObject({ retriedFrom: taskId, status: 'queued' })
    await turns()

    const [letter] = (await call('GET /api/dlq?status=resolved')).body.items
    const resolution = { by: 'user_ann', taskId: body.task.id }
    expect(letter).toEqual({ ...item, status: 'resolved', resolvedAt: expect.any(String), resolution })
    expect((await call('GET /api/dlq')).body).toMatchObject({ items: [], total: 0 })
    expect(await service.counters.byStatus()).toMatchObject({ failed: 1, completed: 1 })
    expect(await service.eventTypes(body.task.id)).toEqual(['created', 'queued', 'started', 'completed'])
    expect((await call(`POST /api/dlq/${item.id}/retry`)).body.code).toBe('dead_letter_not_pending')
  })

  it('resolves it once when asked ten times at once, with one new task', async () => {
    const { call, item, service, taskId } = await withDead()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call(`POST /api/tasks/${taskId}/retry`)),
    )
    await turns(30)

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
    const made = answers.find(({ status }) => status === 200)?.body.task.id
    expect(await service.deadLetters.countAll()).toEqual({ pending: 0, resolved: 1, discarded: 0, total: 1 })
    const [letter] = (await call('GET /api/dlq?status=all')).body.items
    expect(letter).toMatchObject({ id: item.id, status: 'resolved', resolution: { taskId: made } })
    expect(await service.counters.byStatus()).toMatchObject({ failed: 1, completed: 1 })
  })

  it('leaves a discarded dead letter, and those of other failures', async () => {
    const { call, items, ids, service } = await withDead(2)
    await call(`POST /api/dlq/${items[1].id}/discard`)
    await call(`POST /api/tasks/${items[1].taskId}/retry`)
    await turns()

    expect(ids).toContain(items[1].taskId)
    expect(await service.deadLetters.countAll()).toEqual({ pending: 1, resolved: 0, discarded: 1, total: 2 })
  })
})

describe('the dead letter of a failure', () => {
  /** Ends a task for good, in each of the ways there are. */
  const ends: [
    how: string,
    claims: number,
    fail: (service: StartedDomains, id: string) => Promise<unknown>,
  ][] = [
    [
      'its last attempt failed',
      1,
      async ({ tasks }, id) => {
        const leased = await tasks.lease.claim({ taskId: id, attempt: 1 })
        if (leased) return tasks.lease.fail(leased, LOST)
      },
    ],
    [
      'its last worker died',
      1,
      async ({ tasks, clock, config }, id) => {
        await tasks.lease.claim({ taskId: id, attempt: 1 })
        clock.advance(config.TASK_LEASE_MS + 1)
        await tasks.recovery.tick(() => false)
      },
    ],
    [
      'its message was undeliverable',
      0,
      ({ tasks }, id) => tasks.lease.markUndeliverable({ taskId: id, attempt: 1 }, LOST),
    ],
  ]

  it.each(ends)('is written in the same commit when %s', async (_, claims, fail) => {
    const { commits, wrapStore } = limitedStore()
    const service = await startDomains({ background: false, wrapStore, env: { QUEUE_RETRY_ATTEMPTS: '1' } })
    const tried = async (left: number) => {
      const { id } = await service.create({ title: 'Doomed' })
      commits.left = claims + left
      await fail(service, id).catch(({ kind }) => expect(kind).toBe('unavailable'))
      commits.left = Number.POSITIVE_INFINITY
      return service.tasks.get(id)
    }
    const first = await tried(0)
    expect(first.status).not.toBe('failed')
    await service.tasks.cancel(ANN, first.id)
    expect((await service.deadLetters.countAll()).total).toBe(0)

    const { id, status, completedAt, error, attempts } = await tried(1)
    const failure = (await service.tasks.events(id)).events.at(-1)
    const { items } = await service.deadLetters.list({ status: 'pending', limit: 9 })
    expect([status, failure?.type]).toEqual(['failed', 'failed'])
    expect(items).toEqual([
      {
        id: failure?.id.replace('evt_', 'dlq_'),
        taskId: id,
        title: 'Doomed',
        attempts,
        lastError: error?.message,
        createdAt: completedAt,
        status: 'pending',
        code: error?.code,
        agent: 'test-agent',
        createdBy: 'user_ann',
        fingerprint: expect.any(String),
      },
    ])
  })
})

describe('a dead letter that names no task', () => {
  it('says why it is there, cannot be retried, and stays until it is discarded', async () => {
    const service = await startDomains({ background: false })
    const call = createCaller(service)
    await service.deadLetters.addMessage(UNREADABLE)
    const [item] = (await call('GET /api/dlq')).body.items
    expect(item).toMatchObject({ taskId: 'unknown', lastError: 'not_json: {', status: 'pending' })
    expect((await call(`POST /api/dlq/${item.id}/retry`)).status).toBe(404)
    expect((await service.deadLetters.countAll()).pending).toBe(1)
    expect((await call(`POST /api/dlq/${item.id}/discard`)).status).toBe(200)
  })
})

describe('a message that comes again', () => {
  it('adds no second dead letter, at once, later, or when the first is closed', async () => {
    const service = await startDomains({ background: false })
    const call = createCaller(service)
    await Promise.all(Array.from({ length: 5 }, () => service.deadLetters.addMessage(UNREADABLE)))
    const { items } = (await call('GET /api/dlq')).body
    expect(items).toMatchObject([{ id: 'dlq_B1A5B4F6D3F84B5D9F1D2C7E6A5B4C3D' }])
    await call(`POST /api/dlq/${items[0].id}/discard`)
    await service.deadLetters.addMessage(UNREADABLE)
    expect(await service.deadLetters.countAll()).toEqual({ pending: 0, resolved: 0, discarded: 1, total: 1 })
  })
})

describe('POST /api/dlq/:id/discard', () => {
  it('closes the item and leaves the task failed', async () => {
    const { call, item, service, taskId } = await withDead()
    const { status, body } = await call(`POST /api/dlq/${item.id}/discard`)

    expect({ status, item: body.item.status }).toEqual({ status: 200, item: 'discarded' })
    expect((await service.tasks.get(taskId)).status).toBe('failed')
    expect(await service.deadLetters.countAll()).toEqual({ pending: 0, resolved: 0, discarded: 1, total: 1 })
  })
})

describe('a dead letter', () => {
  it.each(['retry', 'discard'])('that is closed refuses %s with 400', async (verb) => {
    const { call, item } = await withDead()
    await call(`POST /api/dlq/${item.id}/discard`)
    const { status, body } = await call(`POST /api/dlq/${item.id}/${verb}`)

    expect({ status, code: body.code }).toEqual({ status: 400, code: 'dead_letter_not_pending' })
  })
})

describe('GET /api/dlq', () => {
  it('lists the pending ones unless another status is asked for', async () => {
    const { call, items } = await withDead(3)
    await call(`POST /api/dlq/${items[0].id}/discard`)
    await call(`POST /api/dlq/${items[1].id}/retry`)
    const listed = async (query: string) => {
      const { body } = await call(`GET /api/dlq${query}`)
      return { ids: body.items.map(({ id }: { id: string }) => id), total: body.total }
    }

    expect(await listed('')).toEqual({ ids: [items[2].id], total: 1 })
    expect(await listed('?status=discarded')).toEqual({ ids: [items[0].id], total: 1 })
    expect(await listed('?status=resolved')).toEqual({ ids: [items[1].id], total: 1 })
    expect(await listed('?status=all')).toEqual({ ids: items.map(({ id }: { id: string }) => id), total: 3 })
    expect((await call('GET /api/dlq?status=open')).status).toBe(400)
  })

  it('pages by cursor and by offset', async () => {
    const { call, items } = await withDead(3)
    const first = (await call('GET /api/dlq?limit=2')).body
    const second = (await call(`GET /api/dlq?limit=2&cursor=${first.nextCursor}`)).body

    expect(first).toMatchObject({ total: 3, count: 2, limit: 2 })
    expect([...first.items, ...second.items]).toEqual(items)
    expect(second.nextCursor).toBeUndefined()
    expect((await call('GET /api/dlq?limit=1&offset=2')).body.items).toEqual([items[2]])
    expect((await call(`GET /api/dlq?status=all&cursor=${first.nextCursor}`)).status).toBe(400)
  })
})

describe('GET /api/queue/status', () => {
  it('shows mode, tasks, workers and dead letters', async () => {
    const { call, service } = await withDead(2)
    await service.run()
    const { body } = await call('GET /api/queue/status')

    expect(body).toEqual({
      mode: 'memory',
      queues: { tasks: { pending: 0, queued: 0, inProgress: 0, completed: 1, failed: 2 } },
      workers: {
        tasks: { running: true, concurrency: 10 },
        notifications: { running: true, concurrency: 5 },
      },
      deadLetterQueue: { pending: 2, resolved: 0, discarded: 0, total: 2 },
    })
    await service.background.stop()
    expect((await call('GET /api/queue/status')).body.workers.tasks).toEqual({
      running: false,
      concurrency: 10,
    })
  })
})
