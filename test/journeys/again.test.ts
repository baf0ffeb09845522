import { describe, expect, it } from '@jest/globals'
import { apiError, connect, eventTypes } from './client.ts'
import { moodyTask, moodyWorld } from './moody.ts'
import { openedService } from './opened-service.ts'
import { startService } from './service.ts'

const service = openedService()

describe('a retry of a completed task', () => {
  it('runs the same work as a new task that knows where it came from', async () => {
    const { client, perform, task, untilTask, events } = connect(service().baseUrl)
    const original = await perform({ ...moodyTask('once more'), priority: 2, labels: ['a', 'b'] })
    const again = await client.retryTask({ params: { id: original.id } })
    expect(again).toMatchObject({
      originalTaskId: original.id,
      task: { status: 'queued', title: 'once more', priority: 2, labels: ['a', 'b'], attempts: 0 },
    })
    expect(again.task.id).not.toBe(original.id)
    expect(await untilTask(again.task.id, 'completed')).toMatchObject({ retriedFrom: original.id })
    expect(await task(original.id)).toEqual({ ...original, retriedBy: again.task.id })
    expect(eventTypes(await events(original.id)).slice(-2)).toEqual(['completed', 'retried'])
    expect(eventTypes(await events(again.task.id))).toEqual(['created', 'queued', 'started', 'completed'])
  })

  it('is refused while the task still runs, as is a cancel of one that is over', async () => {
    const { client, create, perform } = connect(service().baseUrl)
    const running = await create(moodyTask('still at it', { runMs: 60_000 }))
    const over = await perform(moodyTask('over'))
    for (const ask of [
      () => client.retryTask({ params: { id: running.id } }),
      () => client.cancelTask({ params: { id: over.id } }),
    ])
      expect(await apiError(ask())).toMatchObject({ status: 400, code: 'task_state_conflict' })
    await client.cancelTask({ params: { id: running.id } })
  })
})

describe('an Idempotency-Key', () => {
  it('makes one task of twenty creates at once, also after a kill -9', async () => {
    using world = moodyWorld()
    const headers = { 'idempotency-key': 'order-17' }
    const body = moodyTask('exactly once')
    await using first = await startService(world)
    const { client, untilTask, events } = connect(first.baseUrl)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.createTask.raw({ body }, { headers })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201))
    const replayed = answers.map((answer) => answer.headers.get('idempotent-replayed'))
    expect(replayed.filter((value) => value === null)).toHaveLength(1)
    expect(replayed.filter((value) => value === 'true')).toHaveLength(19)
    const [text = '', ...others] = await Promise.all(answers.map((answer) => answer.text()))
    expect(new Set(others)).toEqual(new Set([text]))
    const { id } = JSON.parse(text).task
    await untilTask(id, 'completed')
    expect(eventTypes(await events(id))).toEqual(['created', 'queued', 'started', 'completed'])
    expect((await client.listTasks()).total).toBe(1)
    await first.kill9()

    await using second = await startService(world)
    const later = connect(second.baseUrl)
    const replay = await later.client.createTask.raw({ body }, { headers })
    expect([replay.headers.get('idempotent-replayed'), await replay.text()]).toEqual(['true', text])
    expect((await later.client.listTasks()).total).toBe(1)
  })

  it('is refused with another body, and none is needed for two tasks of the same body', async () => {
    const { client, create } = connect(service().baseUrl)
    const headers = { 'idempotency-key': 'order-18' }
    const { task } = await client.createTask({ body: moodyTask('first') }, { headers })
    expect(await apiError(client.createTask({ body: moodyTask('second') }, { headers }))).toMatchObject({
      status: 400,
      code: 'idempotency_key_reused',
      details: [{ path: expect.stringMatching(/^idempotency-key$/i), message: expect.any(String) }],
    })
    expect((await create(moodyTask('first'))).id).not.toBe(task.id)
  })
})
