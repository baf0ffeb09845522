import { createProcessInfo } from '../adapters/node/process-info.ts'
import type { RequestMetrics } from '../health/request-metrics.ts'
import { createHealth, type Health } from '../health/service.ts'
import type { Work, WorkPorts } from '../join/work.ts'
import { TASK_TOTALS } from '../tasks/tally.ts'
import { VERSION } from '../version.ts'

type Needs = { ports: WorkPorts; domains: Work; requests: RequestMetrics; writable: () => boolean }

/** Health as seen from where everything is at hand. */
export const openHealth = ({ ports, domains, requests, writable }: Needs): Health =>
  createHealth({
    version: VERSION,
    clock: ports.clock,
    log: ports.log,
    process: createProcessInfo(),
    requests,
    taskCounts: domains.totals.byStatus,
    deadLetters: domains.deadLetters.countAll,
    adapters: async () =>
      (await domains.agents.list()).map(({ type, name, healthy, health }) => ({
        type,
        name,
        healthy,
        ...(health.latencyMs === undefined ? {} : { latencyMs: health.latencyMs }),
      })),
    breakers: () =>
      ports.breakers
        .all()
        .map(({ name, state, failures, successes }) => ({ name, state, failures, successes })),
    checks: {
      // Storage that refused a write is asked again: without traffic nothing else would find out that it recovered.
      storage: async () => {
        if (!writable()) await domains.lastExit.touch()
        // Totals of a whole group may be known without a look at the medium; those from a member on are read.
        await ports.store.tallies(TASK_TOTALS.group, TASK_TOTALS.member)
        return true
      },
      queue: () => ports.taskQueue.running,
      notifications: () => ports.notificationQueue.running,
    },
  })
