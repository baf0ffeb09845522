import { describe, expect, it } from '@jest/globals'
import { createFakeAgent } from '../fakes/agent.ts'
import { ANN, startDomains, turns } from '../fakes/service.ts'

const failing = (env: Record<string, string>) => {
  const agent = createFakeAgent(() => Promise.reject(new Error('broken')))
  return startDomains({ adapters: [agent], env }).then((service) => ({ agent, service }))
}

describe('a failed attempt', () => {
  it.each([
    ['exponential', [1_000, 2_000, 4_000]],
    ['fixed', [1_000, 1_000, 1_000]],
  ])('is followed by the next after a %s backoff', async (type, waitsMs) => {
    const { agent, service } = await failing({ QUEUE_RETRY_TYPE: type, QUEUE_RETRY_ATTEMPTS: '4' })
    const { id } = await service.run()

    for (const [at, waitMs] of waitsMs.entries()) {
      const { status, attempts, nextAttemptAt, error } = await service.tasks.get(id)
      expect({ status, attempts, error }).toEqual({
        status: 'queued',
        attempts: at + 1,
        error: { code: 'agent_error', message: 'broken' },
      })
      expect(Date.parse(nextAttemptAt ?? '') - service.clock.now()).toBe(waitMs)
      service.clock.advance(waitMs - 1)
      await turns()
      expect(agent.runs).toHaveLength(at + 1)
      service.clock.advance(1)
      await turns()
      expect(agent.runs.at(-1)?.attempt).toBe(at + 2)
    }
    expect(await service.tasks.get(id)).toMatchObject({ status: 'failed', attempts: 4 })
  })

  it('that was the last fails the task, fills the DLQ and tells everybody', async () => {
    const { service } = await failing({ QUEUE_RETRY_ATTEMPTS: '3' })
    const { id } = await service.run({ title: 'Doomed' })
    await service.pass(4_000)

    const task = await service.tasks.get(id)
    expect(task).toMatchObject({ status: 'failed', attempts: 3, error: { code: 'agent_error' } })
    expect(task.nextAttemptAt).toBeUndefined()
    const history = 'created, queued, started, retrying, started, retrying, started, failed'
    expect((await service.eventTypes(id)).join(', ')).toBe(history)
    const { items } = await service.deadLetters.list({ status: 'pending', limit: 50 })
    expect(items).toMatchObject([
      { taskId: id, title: 'Doomed', attempts: 3, lastError: 'broken', status: 'pending' },
    ])
    const { notifications, unread } = await service.notifications.list(ANN, { limit: 50 })
    expect(unread).toBe(1)
    expect(notifications).toMatchObject([{ type: 'task_failed', taskId: id, read: false }])
  })

  it('leaves no error on a task whose next attempt succeeds', async () => {
    const agent = createFakeAgent(async (_task, { attempt }) => {
      if (attempt === 1) throw new Error('once')
      return { success: true, output: 'second' }
    })
    const service = await startDomains({ adapters: [agent] })
    const { id } = await service.run()
    await service.pass(1_500)

    const task = await service.tasks.get(id)
    expect(task).toMatchObject({ status: 'completed', attempts: 2, result: { output: 'second' } })
    expect(task.error).toBeUndefined()
  })

  it('is not followed by another once the task was cancelled', async () => {
    const { agent, service } = await failing({})
    const { id } = await service.run()
    await service.tasks.cancel(ANN, id)
    await service.pass(20_000)

    expect(agent.runs).toHaveLength(1)
    expect((await service.tasks.get(id)).nextAttemptAt).toBeUndefined()
  })

  it('waits its backoff out although the wall clock steps back two hours', async () => {
    const { agent, service } = await failing({})
    await service.run()
    service.clock.setWall(service.clock.now() - 7_200_000)
    await service.pass(1_100)

    expect(agent.runs).toHaveLength(2)
  })
})

describe('the same message', () => {
  it('delivered 50 times at once and 20 times later runs the agent once', async () => {
    const agent = createFakeAgent()
    const service = await startDomains({ adapters: [agent], background: false })
    const { id } = await service.create()
    const message = { taskId: id, attempt: 1 }

    await Promise.all(Array.from({ length: 50 }, () => service.worker.run(message)))
    for (let later = 0; later < 20; later++) await service.worker.run(message)

    expect(agent.runs).toHaveLength(1)
    expect(await service.eventTypes(id)).toEqual(['created', 'queued', 'started', 'completed'])
  })

  it('of a first attempt does not run the second', async () => {
    const { agent, service } = await failing({})
    const { id } = await service.run()
    await service.worker.run({ taskId: id, attempt: 1 })

    expect(agent.runs).toHaveLength(1)
  })

  it('of a task that nobody knows does nothing', async () => {
    const { agent, service } = await failing({})
    await service.worker.run({ taskId: 'task_unknown', attempt: 1 })

    expect(agent.runs).toHaveLength(0)
  })
})
