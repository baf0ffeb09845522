import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Store } from '../../lib/ports/store.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { startApi } from '../fakes/caller.ts'
import { limitedStore } from '../fakes/mortal.ts'
import { ANN, BOB, startDomains } from '../fakes/service.ts'
import { storeIn } from './samples.ts'

const CONFLICT = { status: 400, code: 'task_state_conflict' }

describe('POST /api/tasks/:id/cancel', () => {
  it.each(['pending', 'queued', 'in_progress'] as const)('cancels a %s task', async (status) => {
    const { service, call } = await startApi()
    await storeIn(service, status, { leaseExpiresAt: 1, nextAttemptAt: '2026-01-01T13:00:00.000Z' })
    const answer = await call('POST /api/tasks/task_sample/cancel')

    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      message: 'Task cancelled',
      task: { status: 'cancelled', completedAt: '2026-01-01T12:00:00.000Z' },
    })
    expect(await service.store.get(tasks, 'task_sample')).not.toMatchObject({
      leaseExpiresAt: expect.anything(),
      nextAttemptAt: expect.anything(),
    })
    expect((await call('GET /api/tasks/task_sample/events')).body).toMatchObject({
      taskId: 'task_sample',
      count: 1,
      events: [{ type: 'cancelled', message: 'by user_ann', timestamp: '2026-01-01T12:00:00.000Z' }],
    })
  })

  it.each(['completed', 'failed', 'cancelled'] as const)('refuses a %s one with 400', async (status) => {
    const { service, call } = await startApi()
    await storeIn(service, status)
    const answer = await call('POST /api/tasks/task_sample/cancel')

    expect({ status: answer.status, code: answer.body.code }).toEqual(CONFLICT)
    expect((await service.tasks.get('task_sample')).status).toBe(status)
  })

  it('lets one of two cancels at once through', async () => {
    const { service } = await startApi()
    const { id } = await service.create()
    const answers = await Promise.allSettled([service.tasks.cancel(ANN, id), service.tasks.cancel(BOB, id)])

    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect((await service.eventTypes(id)).filter((type) => type === 'cancelled')).toHaveLength(1)
  })

  it('follows a task that moves on between its read and its write', async () => {
    const { service } = await startApi()
    const { id } = await service.create()
    const [claimed, cancelled] = await Promise.all([
      service.tasks.lease.claim({ taskId: id, attempt: 1 }),
      service.tasks.cancel(ANN, id),
    ])

    expect([claimed?.status, cancelled.status]).toEqual(['in_progress', 'cancelled'])
  })
})

describe('POST /api/tasks/:id/retry', () => {
  it.each(['completed', 'failed', 'cancelled'] as const)('makes a new task of a %s one', async (status) => {
    const { service, call } = await startApi()
    const given = {
      title: 'Again',
      description: 'D',
      prompt: 'P',
      priority: 1,
      source: 'trackera',
      sourceId: 'X-1',
      sourceUrl: 'https://example.com/X-1',
      repository: 'o/r',
      branch: 'b',
      labels: ['l'],
      metadata: { m: 1 },
    } as const
    await storeIn(service, status, {
      ...given,
      labels: ['l'],
      attempts: 2,
      result: { success: true, output: 'old' },
    })
    const { status: answered, body } = await call('POST /api/tasks/task_sample/retry', { as: BOB })

    expect(answered).toBe(200)
    expect(body.originalTaskId).toBe('task_sample')
    expect(body.task).toMatchObject({
      ...given,
      status: 'queued',
      attempts: 0,
      retriedFrom: 'task_sample',
      createdBy: 'user_bob',
    })
    expect(body.task.result).toBeUndefined()
    expect((await service.tasks.events('task_sample')).events).toMatchObject([
      { type: 'retried', metadata: { code: 'run_as_new', taskId: body.task.id } },
    ])
    expect(await service.tasks.get('task_sample')).toMatchObject({ status, retriedBy: body.task.id })
    const again = (await call('POST /api/tasks/task_sample/retry')).body.task
    expect(await service.tasks.get('task_sample')).toMatchObject({ status, retriedBy: again.id })
    expect(await service.tasks.get(again.id)).not.toHaveProperty('retriedBy')
  })

  it.each([[[]], [['the first']]])('lets one of two at once through, after %j retries', async (earlier) => {
    const { service } = await startApi()
    await storeIn(service, 'failed')
    for (const _ of earlier) await service.tasks.retry(ANN, 'task_sample')
    const [won, lost] = await Promise.allSettled(
      [ANN, BOB].map((by) => service.tasks.retry(by, 'task_sample')),
    )

    expect([won?.status, lost?.status]).toEqual(['fulfilled', 'rejected'])
    expect(lost).toMatchObject({ reason: { kind: 'invalid', code: 'task_state_conflict' } })
    expect((await service.tasks.analytics()).totalTasks).toBe(2 + earlier.length)
  })

  it('reads the end of the log of a failed task, and no more', async () => {
    const ranges: unknown[] = []
    const wrapStore = (real: Store): Store => ({
      ...real,
      log: async (of, key, range) => {
        ranges.push(range)
        return real.log(of, key, range)
      },
    })
    const { service } = await startApi({ wrapStore })
    const { id } = await service.create()
    await service.tasks.lease.markUndeliverable({ taskId: id, attempt: 1 }, { code: 'lost', message: 'Lost' })
    await service.tasks.retry(ANN, id)
    expect(ranges).toEqual([{ newest: 1 }])
    await service.tasks.retry(ANN, id)
    expect(ranges.slice(1)).toEqual([{ newest: 1 }, { newest: 100 }])
    expect((await service.deadLetters.countAll()).pending).toBe(0)
  })

  it('is refused when its dead letter was retried in the same moment', async () => {
    const gate = { before: async () => undefined as unknown }
    const wrapStore = (real: Store): Store => ({
      ...real,
      commit: async (head, ...rest) => {
        if ('insert' in head && head.insert.name === 'tasks') await gate.before()
        return real.commit(head, ...rest)
      },
    })
    const { service, call } = await startApi({ wrapStore })
    const { id } = await service.create()
    await service.tasks.lease.markUndeliverable({ taskId: id, attempt: 1 }, { code: 'lost', message: 'Lost' })
    const [item] = (await call('GET /api/dlq')).body.items
    gate.before = async () => {
      gate.before = async () => undefined
      await call(`POST /api/dlq/${item.id}/retry`)
    }
    expect((await call(`POST /api/tasks/${id}/retry`)).body.code).toBe('task_state_conflict')
    expect(await service.tasks.get(id)).toMatchObject({ status: 'queued' })
    expect((await service.tasks.analytics()).totalTasks).toBe(1)
  })

  it('of a failed one stores the new one, notes it on the old one and resolves its dead letter in one commit', async () => {
    const { commits, wrapStore } = limitedStore()
    const { service, call } = await startApi({ wrapStore })
    const { id } = await service.create()
    const lost = { code: 'undeliverable', message: 'It was lost' }
    await service.tasks.lease.markUndeliverable({ taskId: id, attempt: 1 }, lost)
    const stored = async () => ({
      tasks: (await service.tasks.analytics()).totalTasks,
      events: await service.eventTypes(id),
      letters: await service.deadLetters.countAll(),
    })
    const before = await stored()
    expect(before).toMatchObject({ tasks: 1, letters: { pending: 1, total: 1 } })
    commits.left = 0
    expect((await call(`POST /api/tasks/${id}/retry`)).status).toBe(503)
    expect(await stored()).toEqual(before)
    commits.left = 1
    expect((await call(`POST /api/tasks/${id}/retry`)).status).toBe(200)
    expect(await stored()).toEqual({
      tasks: 2,
      events: [...before.events, 'retried'],
      letters: { pending: 0, resolved: 1, discarded: 0, total: 1 },
    })
  })

  it.each(['pending', 'queued', 'in_progress'] as const)('refuses a %s one with 400', async (status) => {
    const { service, call } = await startApi()
    await storeIn(service, status)
    const answer = await call('POST /api/tasks/task_sample/retry')

    expect({ status: answer.status, code: answer.body.code }).toEqual(CONFLICT)
    expect((await service.tasks.analytics()).totalTasks).toBe(1)
  })
})

/** A service whose queue takes messages by way of `send`, and none with a delay of more than 15 minutes. */
const withQueue = (
  send: (take: () => Promise<void>, delayMs: number) => Promise<void>,
  env: Record<string, string> = {},
) => {
  let runs = 0
  const failsOnce = createFakeAgent(async () => {
    if (++runs === 1) throw new Error('not today')
    return { success: true, output: 'done' }
  })
  return startDomains({
    adapters: [failsOnce],
    env,
    wrapTaskQueue: (real) =>
      Object.assign(Object.create(real), {
        longestDelayMs: 900_000,
        send: async (messages: Parameters<typeof real.send>[0]) => {
          for (const message of messages) await send(() => real.send([message]), message.delayMs ?? 0)
        },
      }),
  })
}
const EVENTS = ['created', 'queued', 'started', 'retrying', 'started', 'completed']

describe('the message of a task', () => {
  it.each([1, 2])(
    'number %i is sent again while the queue refuses it: the task stays queued',
    async (nth) => {
      let sends = 0
      let refuses = true
      const service = await withQueue(async (take) => {
        if (++sends >= nth && refuses) throw new Problem('unavailable', 'queue_unavailable', 'not now')
        await take()
      })
      const { id } = await service.create()
      await service.pass(9_000)
      expect((await service.tasks.get(id)).status).toBe('queued')
      refuses = false
      await service.pass(70_000)

      expect((await service.tasks.get(id)).status).toBe('completed')
      expect(await service.eventTypes(id)).toEqual(EVENTS)
    },
  )

  it('that is due later than the queue can delay is sent when its time is near; until then its task is pending', async () => {
    const delays: number[] = []
    const service = await withQueue(
      async (take, delayMs) => {
        delays.push(delayMs)
        await take()
      },
      { QUEUE_RETRY_BACKOFF_MS: '3600000', QUEUE_RETRY_TYPE: 'fixed' },
    )
    const { id } = await service.create()
    await service.pass(44 * 60_000, 5_000)
    expect(delays).toEqual([0])
    expect(await service.tasks.get(id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      error: { code: 'agent_error' },
      nextAttemptAt: expect.stringMatching(/^2026-01-01T13:00:0/),
    })
    await service.pass(2 * 60_000, 5_000)
    expect((await service.tasks.get(id)).status).toBe('queued')
    await service.pass(15 * 60_000, 5_000)

    const task = await service.tasks.get(id)
    expect(task).toMatchObject({ status: 'completed', attempts: 2 })
    expect(task).not.toHaveProperty('nextAttemptAt')
    expect(delays).toHaveLength(2)
    expect(delays[1]).toBeLessThanOrEqual(900_000)
    expect(await service.eventTypes(id)).toEqual(EVENTS.toSpliced(4, 0, 'queued'))
  })

  it('is sent at the next tick for a pending task that has no time to wait for', async () => {
    const service = await startDomains()
    await storeIn(service, 'pending')
    await service.pass(2_000)

    expect((await service.tasks.get('task_sample')).status).toBe('completed')
    expect(await service.eventTypes('task_sample')).toEqual(['queued', 'started', 'completed'])
  })

  it('that the queue gave up on fails the task that waited for it, and no other', async () => {
    const service = await startDomains({ background: false })
    const { id } = await service.create()
    const lost = { code: 'undeliverable', message: 'The queue gave up on its message' }
    const { markUndeliverable } = service.tasks.lease
    expect(await markUndeliverable({ taskId: id, attempt: 2 }, lost)).toBe(false)
    expect(await markUndeliverable({ taskId: 'task_none', attempt: 1 }, lost)).toBe(false)
    const first = { taskId: id, attempt: 1, fence: 0 }
    // An attempt that is not counted has the same number again.
    const leased = await service.tasks.lease.claim(first)
    if (leased) await service.tasks.lease.release(leased, 'shutdown')
    expect(await markUndeliverable(first, lost)).toBe(false)
    expect(await markUndeliverable({ ...first, fence: 1 }, lost)).toBe(true)
    expect(await markUndeliverable({ ...first, fence: 1 }, lost)).toBe(false)

    expect(await service.tasks.get(id)).toMatchObject({ status: 'failed', error: lost })
    expect((await service.deadLetters.countAll()).pending).toBe(1)
  })
})
