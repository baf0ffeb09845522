import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { TaskStatusSchema } from '../tasks/schema.ts'
import { checkWithin, createDetailed, type DetailedNeeds } from './detailed.ts'
import { expose, metricFamilies } from './exposition.ts'
import type { EndpointReading, RequestMetrics, RequestReading } from './request-metrics.ts'
import type { Metrics, Readiness, TaskCounts } from './schema.ts'

/** The conditions of readiness by name; false or a rejection means not ready. */
type Checks = Readonly<Record<string, () => boolean | Promise<boolean>>>

type ReadinessNeeds = { clock: Clock; log: Log; checks: Checks }

/** Ready when every check passes. The answer gives no reason, since the route is public; the log does. */
const createReadiness = ({ clock, log, checks }: ReadinessNeeds) => {
  const checkStatus = async (name: string): Promise<Readiness['status']> => {
    try {
      return (await checkWithin(clock, checks[name] ?? (() => false))) ? 'ready' : 'not_ready'
    } catch (err) {
      log.warn({ err, check: name }, 'readiness check failed')
      return 'not_ready'
    }
  }
  return async (): Promise<Readiness> => {
    const states = await Promise.all(
      Object.keys(checks).map(async (name) => ({ name, status: await checkStatus(name) })),
    )
    const ready = states.every(({ status }) => status === 'ready')
    return { status: ready ? 'ready' : 'not_ready', checks: states }
  }
}

/** The summary of requests in the API. Rates are 0..1; a latency without a measurement is 0. */
const toMetrics = ({ endpoints, perMinute }: RequestReading, tasks: TaskCounts, uptime: number): Metrics => {
  const requestCount = total(endpoints, ({ count }) => count)
  const faultCount = total(endpoints, ({ faults }) => faults)
  return {
    scope: 'instance',
    uptime,
    requests: { total: requestCount, perMinute, errorRate: rate(faultCount, requestCount) },
    endpoints: endpoints.map((endpoint) => ({
      method: endpoint.method,
      path: endpoint.path,
      count: endpoint.count,
      errorRate: rate(endpoint.faults, endpoint.count),
      p50Ms: endpoint.latency.quantile(0.5) ?? 0,
      p95Ms: endpoint.latency.quantile(0.95) ?? 0,
      p99Ms: endpoint.latency.quantile(0.99) ?? 0,
    })),
    tasks,
  }
}

const total = (endpoints: readonly EndpointReading[], of: (endpoint: EndpointReading) => number) =>
  endpoints.reduce((sum, endpoint) => sum + of(endpoint), 0)

const rate = (part: number, all: number) => (all > 0 ? part / all : 0)

export type HealthNeeds = DetailedNeeds & { requests: Pick<RequestMetrics, 'read'>; checks: Checks }

export type Health = ReturnType<typeof createHealth>

/** The health of the service: liveness, readiness, components, metrics. */
export const createHealth = (needs: HealthNeeds) => {
  const { clock, process, requests } = needs
  const tasks = async (): Promise<TaskCounts> => {
    const counts = await needs.taskCounts()
    return Object.fromEntries(
      TaskStatusSchema.options.map((status) => [status, counts[status] ?? 0]),
    ) as TaskCounts
  }
  return {
    simple: () => ({ status: 'healthy' as const, timestamp: iso(clock.now()) }),
    readiness: createReadiness(needs),
    detailed: createDetailed(needs),

    metrics: async (): Promise<Metrics> =>
      toMetrics(requests.read(), await tasks(), process.read().uptimeSeconds),

    /** The metrics for Prometheus, with those that are only useful over time. */
    exposition: async (): Promise<string> => {
      const [counts, deadLetters] = await Promise.all([tasks(), needs.deadLetters()])
      return expose(
        metricFamilies({
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
