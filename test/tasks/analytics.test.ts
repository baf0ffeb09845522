import { describe, expect, it } from '@jest/globals'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { ANN, startDomains, turns } from '../fakes/service.ts'

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
      daily: [],
    })
  })

  it('counts by status, priority, source, agent and day, and times what completed', async () => {
    const agent = createFakeAgent(HOLD)
    const other = createFakeAgent(HOLD, { type: 'other' })
    const service = await startDomains({ adapters: [agent, other], env: { QUEUE_RETRY_ATTEMPTS: '1' } })
    for (const body of [{ priority: 1 }, { source: 'cron' }, { assignedAgent: 'other' }, {}, {}])
      await service.create(body)
    await turns()
    await service.pass(1_000)
    agent.runs[0]?.finish()
    await turns()
    await service.pass(2_000)
    agent.runs[1]?.finish()
    other.runs[0]?.fail(new Error('broken'))
    await turns()
    await service.tasks.cancel(ANN, agent.runs[2]?.task.id ?? '')
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
      daily: [{ date: '2026-01-01', created: 5, completed: 2, failed: 2 }],
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

  it('shows the last thirty days', async () => {
    const service = await startDomains({ background: false })
    await service.create()
    service.clock.advance(29 * 86_400_000)
    expect((await service.tasks.analytics()).daily).toHaveLength(1)
    service.clock.advance(86_400_000)

    expect((await service.tasks.analytics()).daily).toHaveLength(0)
  })
})
