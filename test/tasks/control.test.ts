import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Outgoing } from '../../lib/ports/queue.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { CreateTaskSchema } from '../../lib/tasks/schema.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { startApi } from '../fakes/caller.ts'
import { ANN, BOB, startDomains, turns } from '../fakes/service.ts'
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
      service.tasks.runs.claim({ taskId: id, attempt: 1 }).then((claim) => claim?.task),
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
    expect(await service.eventTypes('task_sample')).toEqual(['retried'])
    expect((await service.tasks.get('task_sample')).status).toBe(status)
  })

  it.each(['pending', 'queued', 'in_progress'] as const)('refuses a %s one with 400', async (status) => {
    const { service, call } = await startApi()
    await storeIn(service, status)
    const answer = await call('POST /api/tasks/task_sample/retry')

    expect({ status: answer.status, code: answer.body.code }).toEqual(CONFLICT)
    expect((await service.tasks.analytics()).totalTasks).toBe(1)
  })
})

it.each([
  'GET /api/tasks/task_x',
  'GET /api/tasks/task_x/events',
  'POST /api/tasks/task_x/cancel',
  'POST /api/tasks/task_x/retry',
])('%s answers 404 for a task that is not there', async (request) => {
  const { call } = await startApi()
  const { status, body } = await call(request)

  expect({ status, code: body.code }).toEqual({ status: 404, code: 'task_not_found' })
})

describe('with a durable queue', () => {
  type Send = (messages: readonly Outgoing<{ taskId: string; attempt: number }>[]) => Promise<void>
  const durable = async (
    send: (real: Send) => Send,
    background = true,
    agent = createFakeAgent(),
    env: Record<string, string> = {},
  ) => {
    const service = await startDomains({
      adapters: [agent],
      background,
      env,
      wrapTaskQueue: (real) =>
        Object.assign(Object.create(real), { durable: true, longestDelayMs: 900_000, send: send(real.send) }),
    })
    return { service, agent }
  }

  const failsOnce = () => {
    let calls = 0
    return createFakeAgent(async () => {
      if (++calls === 1) throw new Error('not today')
      return { success: true, output: 'done' }
    })
  }

  it('a task is queued from the start, since its message was sent before', async () => {
    const { service } = await durable((send) => send, false)
    const { id, status } = await service.create()

    expect(status).toBe('queued')
    expect(await service.eventTypes(id)).toEqual(['created', 'queued'])
  })

  it('a task whose send failed stays pending until a tick sends it', async () => {
    let refuse = false
    const { service } = await durable((send) => async (messages) => {
      if (refuse) throw new Problem('unavailable', 'queue_unavailable', 'not now')
      await send(messages)
    })
    refuse = true
    const { id, status } = await service.create()
    expect(status).toBe('pending')
    refuse = false
    await service.pass(9_000)
    expect((await service.tasks.get(id)).status).toBe('pending')
    await service.pass(3_000)

    expect((await service.tasks.get(id)).status).toBe('completed')
  })

  it('a message that is faster than its own task is not used up', async () => {
    const { service, agent } = await durable((send) => async (messages) => {
      await send(messages)
      await turns(20)
    })
    const { id } = await service.create()
    await service.pass(3_000)

    expect((await service.tasks.get(id)).status).toBe('completed')
    expect(agent.runs).toHaveLength(1)
  })

  it('a create with a key whose task was sent, but not noted as queued, succeeds', async () => {
    let writes = 0
    const service = await startDomains({
      background: false,
      wrapTaskQueue: (real) => Object.assign(Object.create(real), { durable: true }),
      wrapStore: (real) => ({
        ...real,
        commit: (...change) =>
          // After the task and its first event.
          ++writes === 3
            ? Promise.reject(new Problem('unavailable', 'storage_unavailable', 'not now'))
            : real.commit(...change),
      }),
    })

    const body = CreateTaskSchema.parse({ title: 'Once' })
    const { task } = await service.tasks.createOnce(ANN, body, 'key')
    expect(task.status).toBe('pending')
  })

  it('an attempt that failed waits as pending until the queue took its message', async () => {
    let sends = 0
    const { service } = await durable(
      (send) => async (messages) => {
        if (++sends === 2) throw new Problem('unavailable', 'queue_unavailable', 'not now')
        await send(messages)
      },
      true,
      failsOnce(),
    )
    const { id } = await service.create()
    await turns(30)
    expect((await service.tasks.get(id)).status).toBe('pending')
    await service.pass(15_000)

    expect((await service.tasks.get(id)).status).toBe('completed')
    const types = ['created', 'queued', 'started', 'retrying', 'started', 'completed']
    expect(await service.eventTypes(id)).toEqual(types)
  })

  it('an attempt that is due later than the queue can delay is sent when its time is near', async () => {
    const delays: (number | undefined)[] = []
    const { service } = await durable(
      (send) => async (messages) => {
        delays.push(...messages.map(({ delayMs }) => delayMs))
        await send(messages)
      },
      true,
      failsOnce(),
      { QUEUE_RETRY_BACKOFF_MS: '3600000', QUEUE_RETRY_TYPE: 'fixed' },
    )
    const { id } = await service.create()
    await service.pass(44 * 60_000, 5_000)
    expect(delays).toEqual([0])
    await service.pass(17 * 60_000, 5_000)

    expect((await service.tasks.get(id)).status).toBe('completed')
    expect(delays).toHaveLength(2)
    expect(delays[1]).toBeLessThanOrEqual(900_000)
  })

  it('a message that the queue gave up on fails the task that waited for it, and no other', async () => {
    const { service } = await durable((send) => async () => send([]), false)
    const { id } = await service.create()
    const lost = { code: 'undeliverable', message: 'The queue gave up on its message' }
    expect(await service.tasks.runs.undeliverable({ taskId: id, attempt: 2 }, lost)).toBe(false)
    expect(await service.tasks.runs.undeliverable({ taskId: id, attempt: 1 }, lost)).toBe(true)

    expect(await service.tasks.get(id)).toMatchObject({ status: 'failed', error: lost })
    expect((await service.deadLetters.countAll()).pending).toBe(1)
  })
})
