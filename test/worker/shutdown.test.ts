import { describe, expect, it } from '@jest/globals'
import { tasks } from '../../lib/tasks/rows.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { startDomains, turns, until } from '../fakes/service.ts'

const obedient = () =>
  createFakeAgent(
    (_task, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  )

/** Stops the workers and lets ten seconds pass, the promised most. */
const stopWithin10s = async (service: Awaited<ReturnType<typeof startDomains>>) => {
  let stopped = false
  const stopping = service.background.stop().then(() => {
    stopped = true
  })
  await service.pass(10_000)
  expect(stopped).toBe(true)
  await stopping
}

describe('a shutdown', () => {
  it('lets work that ends by itself end', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent] })
    const { id } = await service.run()
    const stopping = service.background.stop()
    await service.pass(2_000)
    agent.runs[0]?.finish()
    await stopping

    expect((await service.tasks.get(id)).status).toBe('completed')
  })

  it.each([
    ['obeys', obedient],
    ['ignores its signal', () => createFakeAgent(HOLD)],
  ])('gives running work back, its attempt not counted, when the agent %s', async (_name, make) => {
    const agent = make()
    const service = await startDomains({ adapters: [agent] })
    const { id } = await service.run()

    await stopWithin10s(service)

    expect(agent.runs[0]?.signal.reason).toMatchObject({ code: 'shutdown' })
    expect(await service.tasks.get(id)).toMatchObject({ status: 'queued', attempts: 0 })
    expect(await service.store.get(tasks, id)).not.toHaveProperty('leaseExpiresAt')
    expect(await service.eventTypes(id)).toEqual(['created', 'queued', 'started', 'recovered'])

    const next = await startDomains({ after: service })
    expect(await next.reaches(id, 'completed')).toMatchObject({ attempts: 1 })
  })

  it('of one run alone puts its task back in line, for this process too', async () => {
    const agent = obedient()
    const service = await startDomains({ adapters: [agent] })
    const { id } = await service.run()
    service.active.stop(id, 'shutdown')
    await turns()

    expect(agent.runs.map(({ attempt }) => attempt)).toEqual([1, 1])
    expect(await service.tasks.get(id)).toMatchObject({ status: 'in_progress', attempts: 1 })
  })

  it('takes no new work, not even work that waits for room already', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent], env: { POOL_MAX_CONCURRENT: '1' } })
    const ids: string[] = []
    for (let task = 0; task < 5; task++) ids.push((await service.create()).id)
    await until(() => agent.runs.length === 1)

    await stopWithin10s(service)
    await service.pass(10_000)

    expect(agent.runs).toHaveLength(1)
    expect(await service.counters.byStatus()).toMatchObject({ queued: 5, in_progress: 0 })
    for (const id of ids.slice(1)) expect(await service.eventTypes(id)).toEqual(['created', 'queued'])
  })

  it('stops a run that was being claimed when it came', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent], background: false })
    const { id } = await service.create()
    const run = service.worker.run({ taskId: id, attempt: 1 })
    await Promise.resolve().then()
    service.active.stopAll('shutdown')
    await turns()
    await service.pass(3_000)
    await run

    expect(agent.runs).toHaveLength(0)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'queued', attempts: 0 })
  })

  it('does not end the heartbeat before the work', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent], env: { TASK_LEASE_MS: '1000' } })
    const { id } = await service.run()
    const stopping = service.background.stop()
    await service.pass(4_000)

    const row = await service.store.get(tasks, id)
    expect(row?.leaseExpiresAt).toBeGreaterThan(service.clock.now())
    agent.runs[0]?.finish()
    await stopping
  })
})

describe('the pool', () => {
  it.each([
    ['POOL_MAX_CONCURRENT', { POOL_MAX_CONCURRENT: '3', QUEUE_CONCURRENCY: '10' }],
    ['QUEUE_CONCURRENCY', { POOL_MAX_CONCURRENT: '50', QUEUE_CONCURRENCY: '3' }],
  ])('runs as many agents at once as %s says, and every task in the end', async (_name, env) => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent], env })
    for (let task = 0; task < 12; task++) await service.create()

    for (let ended = 0; ended < 12; ended++) {
      await until(() => agent.runs.length > ended)
      await turns()
      agent.runs[ended]?.finish()
    }
    await until(async () => (await service.counters.byStatus()).completed === 12)

    expect(agent.most).toBe(3)
  })

  it('bounds the runs of every queue together', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({
      adapters: [agent],
      env: { POOL_MAX_CONCURRENT: '2' },
      background: false,
    })
    const ids = await Promise.all(Array.from({ length: 6 }, async () => (await service.create()).id))
    for (const taskId of ids) void service.worker.run({ taskId, attempt: 1 })
    await turns()

    expect(agent.runs).toHaveLength(2)
    expect(await service.counters.byStatus()).toMatchObject({ in_progress: 2, queued: 4 })
  })

  it('serves priority 1 before 4, and within one priority the older', async () => {
    const agent = createFakeAgent()
    const service = await startDomains({
      adapters: [agent],
      env: { QUEUE_CONCURRENCY: '1' },
      background: false,
    })
    for (const [title, priority] of [
      ['d', 4],
      ['a', 1],
      ['c', 3],
      ['b', 1],
    ] as const) {
      await service.create({ title, priority })
    }
    await service.background.start()
    await until(async () => (await service.counters.byStatus()).completed === 4)

    expect(agent.runs.map(({ task }) => task.title)).toEqual(['a', 'b', 'c', 'd'])
  })
})
