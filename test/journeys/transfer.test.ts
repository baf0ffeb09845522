import { describe, expect, it } from '@jest/globals'
import { until } from './api.ts'
import { connect, eventTypes } from './client.ts'
import { moodyTask, moodyWorld } from './moody.ts'
import { openService } from './opened-service.ts'
import { isOffline, startService } from './service.ts'

describe('an export', () => {
  it('restores its tasks in another service: what was over is not run again, what was not is', async () => {
    using old = moodyWorld({ QUEUE_RETRY_BACKOFF_MS: '600000' })
    await using from = await startService(old)
    const source = connect(from.baseUrl)
    const completed = await source.perform({ ...moodyTask('completed'), labels: ['x'], description: 'Whole' })
    const failed = await source.perform({
      ...moodyTask('failed'),
      branch: 'a..b',
      assignedAgent: 'coding-agent',
    })
    const { id } = await source.create(moodyTask('cancelled', { runMs: 60_000 }))
    const cancelled = (await source.client.cancelTask({ params: { id } })).task
    const waiting = await source.create(moodyTask('waiting', { failures: 1 }))
    await until(async () => (await source.task(waiting.id)).nextAttemptAt)
    const over = [completed, failed, cancelled]
    expect(over.map(({ status }) => status)).toEqual(['completed', 'failed', 'cancelled'])

    const download = await source.client.exportTasks.raw()
    expect(download.headers.get('content-disposition')).toMatch(/^attachment; filename=".+\.json"$/)
    // One process has no place for copies.
    expect(download.headers.get('x-export-copy') ?? 'none').toMatch(
      isOffline ? /^exports\/.+\.json$/ : /^none$/,
    )
    const exported = await source.client.exportTasks()
    expect(exported).toMatchObject({ version: '1.0', taskCount: 4 })
    expect(exported.tasks.slice(0, 3)).toEqual(over)

    using fresh = moodyWorld()
    fresh.cure()
    await using into = await startService(fresh)
    const target = connect(into.baseUrl)
    const first = await target.client.importTasks({ body: { version: '1.0', tasks: exported.tasks } })
    expect(first.results).toEqual({ imported: 4, skipped: 0, errors: [] })
    expect(await target.untilTask(waiting.id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      attempts: 1,
      createdAt: waiting.createdAt,
    })
    for (const task of over) {
      expect(await target.task(task.id)).toEqual(task)
      expect(eventTypes(await target.events(task.id))).toEqual(['created'])
    }
    const { tasks } = await target.client.listTasks()
    expect(tasks.map((task) => task.id)).toEqual(
      [waiting, cancelled, failed, completed].map((task) => task.id),
    )
    const { byStatus, totalTasks } = await target.client.taskAnalytics()
    expect([totalTasks, byStatus]).toEqual([
      4,
      expect.objectContaining({ completed: 2, failed: 1, cancelled: 1 }),
    ])

    const before = (await target.client.exportTasks()).tasks
    const second = await target.client.importTasks({ body: { version: '1.0', tasks: exported.tasks } })
    expect(second.results).toEqual({ imported: 0, skipped: 4, errors: [] })
    expect((await target.client.exportTasks()).tasks).toEqual(before)
    expect((await target.client.taskAnalytics()).totalTasks).toBe(4)
  })

  it('is taken over as far as it fits, with the reason for every task that does not', async () => {
    await using service = await openService()
    const { client } = connect(service.baseUrl)
    const good = { id: 'task_kept', title: 'Kept', status: 'completed', createdAt: '2024-02-29T12:00:00Z' }
    const tasks = [
      good,
      { ...good, id: '../escape' },
      { ...good, id: 'task_odd', status: 'resting' },
      { ...good, id: 'task_date', createdAt: 'yesterday' },
      'not a task',
    ]
    const { results } = await client.importTasks({ body: { version: '1.0', tasks } })
    expect(results).toMatchObject({ imported: 1, skipped: 0 })
    expect(results.errors).toMatchObject([
      { index: 1, id: '../escape', message: expect.stringMatching(/^id: /) },
      { index: 2, id: 'task_odd', message: expect.stringMatching(/^status: /) },
      { index: 3, id: 'task_date', message: expect.stringMatching(/^createdAt: /) },
      { index: 4, message: expect.any(String) },
    ])
    expect((await client.getTask({ params: { id: 'task_kept' } })).task).toMatchObject({ title: 'Kept' })
  })
})
