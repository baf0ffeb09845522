import { createProcessInfo } from '../adapters/node/process-info.ts'
import type { Domains } from '../composition/domains.ts'
import type { Ports } from '../composition/ports.ts'
import type { Config } from '../config/config.ts'
import { definedFields } from '../core/defined-fields.ts'
import type { RequestMetrics } from '../health/request-metrics.ts'
import { createHealth, type Health } from '../health/service.ts'
import { TASK_COUNTERS } from '../tasks/counters.ts'
import { VERSION } from '../version.ts'
import type { SandboxHealth } from './sandbox.ts'

type Needs = {
  ports: Ports & { sandbox?: SandboxHealth }
  domains: Domains
  requests: RequestMetrics
  worker: Config['WORKER']
  /** Rejects while storage accepts no write; absent where only a real write can show that. */
  probeStorage?: () => Promise<void>
}

export const openHealth = ({ ports, domains, requests, worker, probeStorage }: Needs): Health =>
  createHealth({
    version: VERSION,
    clock: ports.clock,
    log: ports.log,
    process: createProcessInfo(),
    requests,
    taskCounts: domains.counters.byStatus,
    deadLetters: domains.deadLetters.countAll,
    sandbox: ports.sandbox,
    // An agent that cannot run is a fault only where no agent can.
    adapters: async () => {
      const agents = await domains.agents.list()
      const running = agents.filter(({ inService, runners }) => inService || runners.length > 0)
      return (running.length > 0 ? running : agents).map(({ type, name, healthy, health }) => ({
        type,
        name,
        healthy,
        ...definedFields({ latencyMs: health.latencyMs }),
      }))
    },
    breakers: () =>
      ports.breakers
        .all()
        .map(({ name, state, failures, successes }) => ({ name, state, failures, successes })),
    worker,
    runs: async () => {
      const [ownAgents, { runners }] = await Promise.all([
        domains.agents.configuredTypes(),
        domains.runners.registry.list(),
      ])
      return {
        ownAgents,
        runners: runners
          .filter(({ status }) => status !== 'removed')
          .map(({ name, status, drained, labels, isolation, agents }) => ({
            name,
            status,
            drained,
            labels,
            isolation,
            agents: agents.map(({ type }) => type),
          })),
      }
    },
    checks: {
      // Storage that refused a write is probed: without traffic nothing else would notice its recovery.
      storage: async () => {
        await probeStorage?.()
        // A whole counter may be cached; members from a name on are always read.
        await ports.store.counters(TASK_COUNTERS.counter, TASK_COUNTERS.member)
        return true
      },
      queue: () => worker === 'off' || ports.taskQueue.running,
      notifications: () => ports.notificationQueue.running,
    },
  })
