import { describe, expect, it } from '@jest/globals'
import {
  adaptersHealth,
  breakersHealth,
  deadLettersHealth,
  queueHealth,
  runnersHealth,
  worst,
} from '../../lib/health/components.ts'
import type { AdapterHealth, BreakerReading, HealthStatus, RunnerReading } from '../../lib/health/schema.ts'

describe('the queue', () => {
  it.each<[number, HealthStatus]>([
    [0, 'healthy'],
    [100, 'healthy'],
    [101, 'degraded'],
    [500, 'degraded'],
    [501, 'unhealthy'],
    [1_000_000, 'unhealthy'],
  ])('with %i active tasks is %s', (active, status) => {
    expect(queueHealth({ queued: active }).status).toBe(status)
  })

  it('counts as active what is pending, queued or in progress, and nothing that has ended', () => {
    const { details } = queueHealth({
      pending: 1,
      queued: 20,
      in_progress: 300,
      completed: 4_000,
      failed: 50_000,
    })
    expect(details).toEqual({ pending: 1, queued: 20, inProgress: 300, failed: 50_000, totalActive: 321 })
  })
})

describe('the dead letter queue', () => {
  it.each<[number, HealthStatus]>([
    [0, 'healthy'],
    [9, 'healthy'],
    [10, 'degraded'],
    [49, 'degraded'],
    [50, 'unhealthy'],
  ])('with %i pending items is %s', (pending, status) => {
    const counts = { pending, resolved: 900, discarded: 900, total: 1_800 + pending }
    expect(deadLettersHealth(counts)).toMatchObject({ status, details: counts })
  })
})

describe('the agent adapters', () => {
  const agent = (healthy: boolean): AdapterHealth => ({ type: 'a', name: 'A', healthy, latencyMs: 1 })
  it.each<[string, AdapterHealth[], HealthStatus]>([
    ['all healthy', [agent(true), agent(true)], 'healthy'],
    ['one ill', [agent(true), agent(false)], 'degraded'],
    ['all ill', [agent(false), agent(false)], 'unhealthy'],
    ['none registered', [], 'degraded'],
  ])('%s: %j is %s', (_case, adapters, status) => {
    expect(adaptersHealth(adapters)).toMatchObject({ status, adapters })
  })
})

describe('what runs tasks', () => {
  const runner = (status: RunnerReading['status']): RunnerReading => ({
    name: 'build-1',
    status,
    drained: status === 'draining',
    labels: [],
    isolation: 'none',
    agents: ['coding-agent'],
  })
  it.each<['on' | 'off', string[], RunnerReading['status'][], boolean, string]>([
    ['on', ['coding-agent'], [], true, 'The service runs tasks itself'],
    ['on', ['coding-agent'], ['offline'], true, '0 of 1 runners take tasks'],
    ['on', [], ['online', 'offline'], true, '1 of 2 runners take tasks'],
    ['on', [], [], false, 'No task can run: no agent is set up'],
    ['off', ['coding-agent'], ['online'], true, '1 of 1 runners take tasks'],
    ['off', ['coding-agent'], [], false, 'No task can run: the service does not run tasks (WORKER=off)'],
    ['off', ['coding-agent'], ['draining', 'offline'], false, 'No task can run'],
  ])(
    'with a worker that is %s, agents %j and runners %j: %s',
    (worker, ownAgents, states, canRun, message) => {
      const health = runnersHealth({ worker, ownAgents, runners: states.map(runner) })
      expect(health).toMatchObject({ canRun, worker, status: canRun ? 'healthy' : 'degraded' })
      expect(health.message).toContain(message)
    },
  )
})

describe('the circuit breakers', () => {
  it.each<[BreakerReading['state'], HealthStatus]>([
    ['CLOSED', 'healthy'],
    ['HALF_OPEN', 'healthy'],
    ['OPEN', 'degraded'],
  ])('of which one is %s are %s', (state, status) => {
    const breakers: BreakerReading[] = [
      { name: 'one', state: 'CLOSED', failures: 0, successes: 3 },
      { name: 'two', state, failures: 10, successes: 0 },
    ]
    expect(breakersHealth(breakers)).toMatchObject({ status, breakers })
  })
})

describe('the whole', () => {
  it.each<[HealthStatus[], HealthStatus]>([
    [[], 'healthy'],
    [['healthy', 'healthy'], 'healthy'],
    [['degraded', 'healthy'], 'degraded'],
    [['healthy', 'unhealthy', 'degraded'], 'unhealthy'],
  ])('of %j is %s', (statuses, whole) => {
    expect(worst(statuses)).toBe(whole)
  })
})
