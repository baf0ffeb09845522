import { describe, expect, it } from '@jest/globals'
import { tasks } from '../../lib/tasks/rows.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { ANN, startDomains, turns } from '../fakes/service.ts'
import { storeIn } from '../tasks/samples.ts'

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

describe('the time of a task', () => {
  it('is counted from its first start to its end; every attempt tells when it began, ended, and why', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent] })
    const { id, startedAt } = await service.run()
    await service.pass(1_000)
    agent.runs[0]?.fail(Object.assign(new Error('no disk'), { code: 'disk_full' }))
    await service.pass(2_000)
    service.active.stop(id, 'shutdown')
    await service.pass(3_000)
    agent.runs[2]?.finish()
    await turns()

    const task = await service.tasks.get(id)
    expect(task).toMatchObject({ status: 'completed', attempts: 2, startedAt })
    const tookMs = Date.parse(task.completedAt ?? '') - Date.parse(startedAt ?? '')
    expect(tookMs).toBe(6_000)
    expect(await service.tasks.analytics()).toMatchObject({ avgDurationMs: tookMs, minDurationMs: tookMs })
    const { events } = await service.tasks.events(id)
    expect(events.slice(2).map(({ type, attempt, metadata }) => [type, attempt, metadata?.code])).toEqual([
      ['started', 1, undefined],
      ['retrying', 1, 'disk_full'],
      ['started', 2, undefined],
      ['recovered', 2, 'released'],
      ['started', 2, undefined],
      ['completed', 2, undefined],
    ])
    expect(events[2]?.timestamp).toBe(startedAt)
    expect(events[4]?.timestamp).not.toBe(startedAt)
  })

  it.each([
    ['in_progress', { agent: 'test-agent', attempt: 1, message: 'by user_ann' }],
    ['queued', { message: 'by user_ann' }],
  ])('ends with a cancel; of a task that was %s its event says %j', async (status, said) => {
    const service = await startDomains({ adapters: [createFakeAgent(HOLD)], background: status !== 'queued' })
    const { id } = await service.run()
    expect(await service.tasks.cancel(ANN, id)).toMatchObject({ status: 'cancelled' })
    const last = (await service.tasks.events(id)).events.at(-1)
    expect(last).toEqual({
      id: expect.anything(),
      taskId: id,
      type: 'cancelled',
      timestamp: expect.anything(),
      ...said,
    })
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

  it('of a task that was stored later, as an import of the same id, runs it then', async () => {
    const agent = createFakeAgent()
    const service = await startDomains({ adapters: [agent], background: false })
    const message = { taskId: 'task_sample', attempt: 1 }
    await expect(service.worker.run(message)).rejects.toMatchObject({ code: 'task_not_found' })
    await storeIn(service, 'queued')
    await service.worker.run(message)

    expect(agent.runs).toHaveLength(1)
  })

  it('of a task that does not exist is refused with `missing`, and the queue drops it', async () => {
    const { agent, service } = await failing({})
    const message = { taskId: 'task_unknown', attempt: 1 }
    await expect(service.worker.run(message)).rejects.toMatchObject({ kind: 'missing' })
    await service.ports.taskQueue.send([{ body: message, priority: 1 }])
    await service.pass(120_000, 1_000)

    expect(agent.runs).toHaveLength(0)
    const dropped = service.log.entries.filter(({ message: text }) => /dropped/.test(String(text)))
    expect(dropped).toHaveLength(1)
  })

  it.each([
    ['runs', { status: 'in_progress', attempts: 2, fence: 2, leaseExpiresAt: Number.MAX_SAFE_INTEGER }],
    ['has ended', { status: 'completed', attempts: 2 }],
    ['was cancelled', { status: 'cancelled', attempts: 1 }],
    ['is pending', { status: 'pending', attempts: 1 }],
    ['waits for a later attempt', { status: 'queued', attempts: 2 }],
    ['began anew', { status: 'queued', attempts: 0 }],
  ] as const)('of attempt 2 is used up when its task %s', async (_, { status, ...more }) => {
    const agent = createFakeAgent()
    const service = await startDomains({ adapters: [agent], background: false })
    await storeIn(service, status, more)
    const before = await service.store.get(tasks, 'task_sample', true)
    await service.worker.run({ taskId: 'task_sample', attempt: 2 })

    expect(agent.runs).toHaveLength(0)
    expect(await service.store.get(tasks, 'task_sample', true)).toEqual(before)
  })
})

describe('an agent', () => {
  it('sees the public task and nothing that is stored beside it', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent], background: false })
    const trace = { requestId: 'req_1' }
    await storeIn(service, 'queued', {
      countedAs: 'other',
      watched: true,
      trace,
      sentAgainAt: '2026-01-01T11:30:00.000Z',
    })
    void service.worker.run({ taskId: 'task_sample', attempt: 1 })
    await turns()

    expect(agent.runs[0]?.task).toEqual(await service.tasks.get('task_sample'))
    expect(Object.keys(agent.runs[0]?.task ?? {})).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(fence|leaseExpiresAt|countedAs|watched|trace|sentAgainAt)$/),
      ]),
    )
  })
})
