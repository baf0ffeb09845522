import { createRequestMetrics } from '../../lib/health/request-metrics.ts'
import type { HealthNeeds } from '../../lib/health/service.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'

export const READING = {
  uptimeSeconds: 60,
  memory: { used: 1_000, total: 3_000 },
  residentBytes: 500,
  heapUsedBytes: 200,
  cpuSeconds: 1.5,
  eventLoopBusySeconds: 0.5,
  loadAverage: [0.1, 0.2, 0.3],
}

/** A service in which all is well; a test spoils what it is about. */
export const healthyNeeds = (clock: FakeClock = createFakeClock()) => {
  const log = createFakeLog()
  const requests = createRequestMetrics({ clock })
  const needs = {
    version: '1.2.3',
    clock,
    log,
    process: { platform: 'linux', nodeVersion: 'v24.0.0', read: () => READING },
    requests,
    taskCounts: async () => ({ pending: 1, queued: 2, in_progress: 3, completed: 4, failed: 5 }),
    deadLetters: async () => ({ pending: 5, resolved: 1, discarded: 2, total: 8 }),
    adapters: async () => [{ type: 'coding-agent', name: 'Coding agent', healthy: true, latencyMs: 12 }],
    worker: 'on',
    runs: async () => ({
      ownAgents: ['coding-agent'],
      runners: [
        {
          name: 'build-1',
          status: 'online',
          drained: false,
          labels: ['gpu'],
          isolation: 'bubblewrap',
          agents: ['claude-code'],
        },
      ],
    }),
    breakers: () => [{ name: 'agent:coding-agent', state: 'CLOSED', failures: 1, successes: 9 }],
    checks: { storage: async () => true, workers: () => true },
  } satisfies HealthNeeds
  return { ...needs, clock, log, requests }
}
