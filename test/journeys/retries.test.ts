import { describe, expect, it } from '@jest/globals'
import { until } from './api.ts'
import { type Connection, connect, refusalOf, typesOf } from './client.ts'
import { moodyTask, moodyWorld } from './moody.ts'
import { startService } from './service.ts'

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
