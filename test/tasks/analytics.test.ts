import { describe, expect, it } from '@jest/globals'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { ANN, BOB, startDomains, turns } from '../fakes/service.ts'

describe('GET /api/tasks/analytics', () => {
  it('is all zero before the first task', async () => {
    const call = createCaller(await startDomains())

    expect((await call('GET /api/tasks/analytics')).body).toEqual({
      totalTasks: 0,
      completedTasks: 0,
      failedTasks: 0,
      pendingTasks: 0,
      inProgressTasks: 0,
      cancelledTasks: 0,
      successRate: 0,
      failureRate: 0,
      avgDurationMs: 0,
      minDurationMs: 0,
      maxDurationMs: 0,
      byStatus: { pending: 0, queued: 0, in_progress: 0, completed: 0, failed: 0, cancelled: 0 },
      byPriority: {},
      bySource: {},
      byAgent: {},
      costUsd: 0,
      unknownCostTasks: 0,
      costByAgent: {},
      costByUser: {},
      costByRepository: {},
      month: {
        month: '2026-01',
        costUsd: 0,
        chatCostUsd: 0,
        unknownCostTasks: 0,
        costByAgent: {},
        own: { costUsd: 0 },
      },
      daily: [],
    })
  })

  it('counts by status, priority, source, agent and day, times what completed, and sums what it cost', async () => {
    const agent = createFakeAgent(HOLD)
    const other = createFakeAgent(HOLD, { type: 'other' })
    const price = (usd: number) => ({ usd, source: 'price' }) as const
    const service = await startDomains({ adapters: [agent, other], env: { QUEUE_RETRY_ATTEMPTS: '1' } })
    const web = { repository: 'acme/web' }
    for (const body of [{ ...web, priority: 1 }, { ...web, source: 'cron' }, { assignedAgent: 'other' }])
      await service.create(body)
    for (const user of [ANN, BOB]) await service.create({}, user)
    await turns()
    await service.pass(1_000)
    agent.runs[0]?.spent(price(0.1))
    agent.runs[0]?.finish()
    await turns()
    await service.pass(2_000)
    agent.runs[1]?.spent(price(0.2))
    agent.runs[1]?.finish()
    other.runs[0]?.spent({ usd: 0.5, source: 'unknown' })
    other.runs[0]?.fail(new Error('broken'))
    await turns()
    await service.tasks.cancel(ANN, agent.runs[2]?.task.id ?? '')
    agent.runs[3]?.spent(price(4))
    await service.pass(86_400_000, 3_600_000)
    const call = createCaller(service)

    expect((await call('GET /api/tasks/analytics')).body).toEqual({
      totalTasks: 5,
      completedTasks: 2,
      failedTasks: 2,
      pendingTasks: 0,
      inProgressTasks: 0,
      cancelledTasks: 1,
      successRate: 0.5,
      failureRate: 0.5,
      avgDurationMs: 2_000,
      minDurationMs: 1_000,
      maxDurationMs: 3_000,
      byStatus: { pending: 0, queued: 0, in_progress: 0, completed: 2, failed: 2, cancelled: 1 },
      byPriority: { 1: 1, 3: 4 },
      bySource: { api: 4, cron: 1 },
      byAgent: { 'test-agent': 4, other: 1 },
      costUsd: 4.8,
      unknownCostTasks: 1,
      costByAgent: { 'test-agent': 4.3, other: 0.5 },
      costByUser: { user_bob: 4, user_ann: 0.8 },
      costByRepository: { 'acme/web': 0.3 },
      month: {
        month: '2026-01',
        costUsd: 4.8,
        chatCostUsd: 0,
        unknownCostTasks: 1,
        costByAgent: { 'test-agent': 4.3, other: 0.5 },
        own: { costUsd: 0.8 },
      },
      daily: [{ date: '2026-01-01', created: 5, completed: 2, failed: 2, costUsd: 4.8 }],
    })
  })

  it('counts the tasks of an agent that is gone with those of others that are not registered', async () => {
    const gone = createFakeAgent(undefined, { type: 'gone' })
    const before = await startDomains({ adapters: [gone] })
    await before.run()
    const service = await startDomains({ after: before, adapters: [createFakeAgent()] })
    await service.run()

    expect((await service.tasks.analytics()).byAgent).toEqual({ other: 1, 'test-agent': 1 })
  })

  it('names the hundred users and repositories that cost most, and sums the others', async () => {
    await using service = await startDomains({ background: false })
    const increments = Array.from({ length: 103 }, (_, n) => ({
      counter: 'tasks.costs.users',
      member: `user_${n}`,
      add: { microUsd: n * 1_000_000 },
    }))
    await service.store.adjust(increments)
    const { costByUser } = await service.tasks.analytics()
    expect(Object.keys(costByUser)).toHaveLength(101)
    expect(costByUser).toMatchObject({ user_102: 102, user_3: 3, other: 0 + 1 + 2 })
  })

  it('shows the last thirty days', async () => {
    const service = await startDomains({ background: false })
    await service.create()
    service.clock.advance(29 * 86_400_000)
    expect((await service.tasks.analytics()).daily).toHaveLength(1)
    service.clock.advance(86_400_000)

    expect((await service.tasks.analytics()).daily).toHaveLength(0)
  })
})
