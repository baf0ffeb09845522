import { iso } from '../core/time.ts'
import { TaskStatusSchema } from '../tasks/schema.ts'
import { createDetailed, type DetailedNeeds } from './detailed.ts'
import { expose } from './exposition.ts'
import { familiesOf } from './families.ts'
import { metricsOf } from './metrics.ts'
import { type Checks, createReadiness } from './readiness.ts'
import type { RequestMetrics } from './request-metrics.ts'
import type { Metrics, TaskCounts } from './schema.ts'

export type HealthNeeds = DetailedNeeds & { requests: Pick<RequestMetrics, 'read'>; checks: Checks }

export type Health = ReturnType<typeof createHealth>

/** How the service fares: alive, ready, in detail, in numbers. */
export const createHealth = (needs: HealthNeeds) => {
  const { clock, process, requests } = needs
  const tasks = async () => countsOf(await needs.taskCounts())
  return {
    simple: () => ({ status: 'healthy' as const, timestamp: iso(clock.now()) }),
    readiness: createReadiness(needs),
    detailed: createDetailed(needs),

    metrics: async (): Promise<Metrics> =>
      metricsOf(requests.read(), await tasks(), process.read().uptimeSeconds),

    /** The metrics for Prometheus, and with them what only a graph over time makes sense of. */
    exposition: async (): Promise<string> => {
      const [counts, deadLetters] = await Promise.all([tasks(), needs.deadLetters()])
      return expose(
        familiesOf({
          nowMs: clock.now(),
          endpoints: requests.read().endpoints,
          tasks: counts,
          deadLetters,
          breakers: needs.breakers(),
          process: process.read(),
        }),
      )
    },
  }
}

/** Every state is there, also one that no task is in. */
const countsOf = (counts: Readonly<Record<string, number>>): TaskCounts =>
  Object.fromEntries(TaskStatusSchema.options.map((status) => [status, counts[status] ?? 0])) as TaskCounts
