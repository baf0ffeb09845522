import { describe, expect, it } from '@jest/globals'
import { saying, startWire, status } from '../fakes/model-wire.ts'
import { until } from './api.ts'
import { type Connection, connect, refusalOf, typesOf } from './client.ts'
import { moodyTask, moodyWorld } from './moody.ts'
import { isOffline, startService, temporaryFolder } from './service.ts'

const HOPELESS = { failures: 99 }

describe('a flaky agent', () => {
  it('is tried again after a wait that the task tells, until it succeeds', async () => {
    using world = moodyWorld({ QUEUE_RETRY_BACKOFF_MS: '400', QUEUE_RETRY_TYPE: 'fixed' })
    await using service = await startService(world)
    const api = connect(service.baseUrl)
    const { id } = await api.create(moodyTask('third time lucky', { failures: 2 }))
    const waiting = await until(async () => {
      const task = await api.task(id)
      // A durable queue has it pending until its message is out.
      return task.nextAttemptAt === undefined || task.status === 'pending' ? undefined : task
    })
    expect(waiting).toMatchObject({
      status: 'queued',
      error: { code: 'agent_error', message: `not in the mood for attempt ${waiting.attempts}` },
    })
    const done = await api.untilTask(id, 'completed', 'failed')
    expect(done).toMatchObject({ status: 'completed', attempts: 3, result: { output: 'done by attempt 3' } })
    expect(done).not.toHaveProperty('nextAttemptAt')
    expect(done).not.toHaveProperty('error')
    const events = await api.events(id)
    const told = events.find(({ type, attempt }) => type === 'retrying' && attempt === waiting.attempts)
    const waitMs = Date.parse(waiting.nextAttemptAt ?? '') - Date.parse(told?.timestamp ?? '')
    expect(waitMs).toBeGreaterThanOrEqual(400)
    expect(waitMs).toBeLessThanOrEqual(510)
    const history = 'created, queued, started, retrying, started, retrying, started, completed'
    expect(typesOf(events).join(', ')).toBe(history)
    const firstEnd = events.find(({ type }) => type === 'retrying')?.timestamp ?? ''
    expect(Date.parse(done.startedAt ?? '')).toBeLessThanOrEqual(Date.parse(firstEnd))
    const { avgDurationMs } = await api.client.taskAnalytics()
    expect(avgDurationMs).toBe(Date.parse(done.completedAt ?? '') - Date.parse(done.startedAt ?? ''))
    expect(events.filter(({ type }) => type === 'started').map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(events.find(({ type }) => type === 'retrying')).toMatchObject({
      message: 'not in the mood for attempt 1',
      metadata: { code: 'agent_error' },
    })
    // A message of the queue is not delivered before its time.
    expect(Date.parse(done.completedAt ?? '') - Date.parse(done.createdAt)).toBeGreaterThanOrEqual(800)
    expect((await api.client.listDlq({ query: { status: 'all' } })).total).toBe(0)
  })
})

/** A task that has failed for good, and its dead letter. */
const giveUp = async ({ client, perform }: Connection) => {
  const task = await perform(moodyTask('hopeless', HOPELESS))
  expect(task).toMatchObject({ status: 'failed', attempts: 3, error: { code: 'agent_error' } })
  const [item] = (await client.listDlq()).items
  if (!item) throw new Error('The dead letter queue is empty')
  return { task, item }
}

describe('an agent that always fails', () => {
  it('leaves a failed task, a dead letter and an unread notification, and health shows it', async () => {
    using world = moodyWorld()
    await using service = await startService(world)
    const api = connect(service.baseUrl)
    const { task, item } = await giveUp(api)
    expect(typesOf(await api.events(task.id)).at(-1)).toBe('failed')
    expect(item).toEqual({
      id: expect.stringMatching(/^dlq_/),
      taskId: task.id,
      title: 'hopeless',
      attempts: 3,
      lastError: 'not in the mood for attempt 3',
      createdAt: expect.any(String),
      status: 'pending',
      agent: 'moody',
      code: 'agent_error',
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
    const told = await until(async () => {
      const list = await api.client.listNotifications()
      return list.total > 0 ? list : undefined
    })
    const [notification] = told.notifications
    expect(told).toMatchObject({ total: 1, unread: 1 })
    expect(notification).toMatchObject({ type: 'task_failed', taskId: task.id, read: false })

    const { components } = await api.client.detailedHealth()
    const counts = { pending: 1, resolved: 0, discarded: 0, total: 1 }
    expect(components.deadLetterQueue).toMatchObject({ status: 'healthy', details: counts })
    expect(components.queue.details).toMatchObject({ failed: 1, totalActive: 0 })
    const { queues, deadLetterQueue } = await api.client.queueStatus()
    expect([queues.tasks.failed, deadLetterQueue]).toEqual([1, counts])

    await api.client.readNotification({ params: { id: notification?.id ?? '' } })
    expect(await api.client.listNotifications()).toMatchObject({
      unread: 0,
      notifications: [{ read: true }],
    })
  })

  it('has its task completed by a retry of the dead letter once the agent works', async () => {
    using world = moodyWorld()
    await using service = await startService(world)
    const api = connect(service.baseUrl)
    const { task, item } = await giveUp(api)
    world.cure()
    const decided = await api.client.retryDlqItem({ params: { id: item.id } })
    expect(decided.item).toMatchObject({ id: item.id, status: 'resolved' })
    expect(decided.task).toMatchObject({ id: task.id, attempts: 0, createdAt: task.createdAt })
    expect(decided.task).not.toHaveProperty('error')
    const done = await api.untilTask(task.id, 'completed', 'failed')
    expect(done).toMatchObject({ status: 'completed', attempts: 1, result: { output: 'done by attempt 1' } })
    expect(typesOf(await api.events(task.id)).slice(-4)).toEqual([
      'failed',
      'retried',
      'started',
      'completed',
    ])

    const params = { id: item.id }
    for (const again of ['retryDlqItem', 'discardDlqItem'] as const)
      expect(await refusalOf(api.client[again]({ params }))).toMatchObject({
        status: 400,
        code: 'dead_letter_not_pending',
      })
    expect((await api.client.listDlq()).items).toEqual([])
    expect(await api.client.queueStatus()).toMatchObject({
      queues: { tasks: { completed: 1, failed: 0, queued: 0, inProgress: 0 } },
      deadLetterQueue: { pending: 0, resolved: 1, discarded: 0, total: 1 },
    })
  })

  it('has its dead letter resolved by a retry of the task, also when the service is killed right after', async () => {
    using world = moodyWorld()
    const first = await startService(world)
    const { task, item } = await giveUp(connect(first.baseUrl))
    world.cure()
    const again = await connect(first.baseUrl).client.retryTask({ params: { id: task.id } })
    await first.kill9()
    await using service = await startService(world)
    const api = connect(service.baseUrl)
    expect(await api.untilTask(again.task.id, 'completed', 'failed')).toMatchObject({ status: 'completed' })
    expect((await api.client.listDlq({ query: { status: 'all' } })).items).toMatchObject([
      { id: item.id, status: 'resolved', resolution: { taskId: again.task.id } },
    ])
    expect(await api.client.queueStatus()).toMatchObject({
      queues: { tasks: { completed: 1, failed: 1 } },
      deadLetterQueue: { pending: 0, resolved: 1, discarded: 0, total: 1 },
    })
  })

  it('leaves its task failed when the dead letter is discarded', async () => {
    using world = moodyWorld()
    await using service = await startService(world)
    const api = connect(service.baseUrl)
    const { task, item } = await giveUp(api)
    const params = { id: item.id }
    expect((await api.client.discardDlqItem({ params })).item).toMatchObject({ status: 'discarded' })
    for (const again of ['discardDlqItem', 'retryDlqItem'] as const)
      expect(await refusalOf(api.client[again]({ params }))).toMatchObject({
        status: 400,
        code: 'dead_letter_not_pending',
      })
    expect(await api.task(task.id)).toEqual(task)
    expect(await api.client.listDlq({ query: { status: 'discarded' } })).toMatchObject({
      total: 1,
      items: [{ id: item.id, status: 'discarded' }],
    })
  })
})

/** A service whose coding agent works with a provider that answers what the test tells it to. */
const withProvider = async (more: Record<string, string> = {}) => {
  const wire = await startWire()
  const folder = temporaryFolder()
  const env = {
    ...{ DATA_DIR: folder.in('data'), OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${wire.origin}/v1` },
    ...{ OPENAI_MODEL: 'm', QUEUE_RETRY_BACKOFF_MS: '1', ...more },
  }
  const end = async () => {
    await wire.close()
    folder[Symbol.dispose]()
  }
  return { wire, env, [Symbol.asyncDispose]: end }
}

describe('a provider that names a time', () => {
  it.each([429, 503])('with %i is not called before it, and the task shows it', async (code) => {
    await using world = await withProvider({ QUEUE_RETRY_ATTEMPTS: '2' })
    const calls: number[] = []
    const busy = status(code, { error: { message: 'busy' } }, { 'retry-after': '6' })
    const answers = [busy, saying('Done')]
    world.wire.replies = [
      (res, heard) => {
        calls.push(Date.now())
        return answers[Math.min(calls.length, 2) - 1]?.(res, heard)
      },
    ]
    await using service = await startService(world)
    const api = connect(service.baseUrl)
    const { id } = await api.create({ title: 'Wait for it' })
    const waiting = await until(async () => {
      const task = await api.task(id)
      return task.nextAttemptAt === undefined ? undefined : task
    })
    expect(Date.parse(waiting.nextAttemptAt ?? '') - (calls[0] ?? 0)).toBeGreaterThanOrEqual(6_000)
    expect(await api.untilTask(id, 'completed', 'failed')).toMatchObject({ status: 'completed', attempts: 2 })
    expect(calls).toHaveLength(2)
    expect((calls[1] ?? 0) - (calls[0] ?? 0)).toBeGreaterThanOrEqual(6_000)
  })

  it('of an hour has its task wait in storage, also after a restart', async () => {
    await using world = await withProvider()
    world.wire.replies = [status(529, { error: { message: 'overloaded' } }, { 'retry-after': '3600' })]
    const first = await startService(world)
    const { id } = await connect(first.baseUrl).create({ title: 'Wait for it' })
    const waiting = await until(async () => {
      const task = await connect(first.baseUrl).task(id)
      return task.nextAttemptAt === undefined ? undefined : task
    })
    expect(waiting).toMatchObject({ status: isOffline ? 'pending' : 'queued', attempts: 1 })
    await first.stop()
    await using service = await startService(world)
    const api = connect(service.baseUrl)
    // A task that was created later runs now: the other one would have begun before it.
    world.wire.replies = [saying('Done')]
    expect(await api.perform({ title: 'The next one' })).toMatchObject({ status: 'completed' })
    const { nextAttemptAt } = waiting
    expect(await api.task(id)).toMatchObject({ status: waiting.status, attempts: 1, nextAttemptAt })
    expect(Date.parse(nextAttemptAt ?? '') - Date.parse(waiting.createdAt)).toBeGreaterThanOrEqual(3_600_000)
    expect(world.wire.heard).toHaveLength(2)
  })
})

describe('an open circuit breaker', () => {
  it('costs no attempt: its tasks wait until it lets a call through', async () => {
    await using world = await withProvider({ QUEUE_RETRY_ATTEMPTS: '2' })
    const down = status(500, { error: { message: 'down' } })
    world.wire.replies = [down]
    await using service = await startService(world)
    const api = connect(service.baseUrl)
    const ids: string[] = []
    for (let n = 0; n < 10; n += 1) ids.push((await api.create({ title: `Task ${n}` })).id)
    const refused = await until(async () => {
      const all = await Promise.all(ids.map(api.task))
      return all.find(({ error }) => error?.code === 'circuit_open')
    })
    world.wire.replies = [saying('Done')]
    expect(await api.untilTask(refused.id, 'completed', 'failed')).toMatchObject({ status: 'completed' })
    const log = await api.events(refused.id)
    expect(log.filter(({ metadata }) => metadata?.code === 'circuit_open')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ metadata: expect.objectContaining({ counted: false }) }),
      ]),
    )
    // Ten workspaces are made, and the breaker is open for 10 s.
  }, 120_000)
})
