import type { EndpointReading, RequestReading } from './request-metrics.ts'
import type { Metrics, TaskCounts } from './schema.ts'

const SERVER_ERROR = 5

/** The summary of requests as the API shows it. Rates are 0..1; a latency that was not measured yet is 0. */
export const metricsOf = (
  { endpoints, perMinute }: RequestReading,
  tasks: TaskCounts,
  uptime: number,
): Metrics => {
  const total = sumOf(endpoints, ({ count }) => count)
  return {
    scope: 'instance',
    uptime,
    requests: { total, perMinute, errorRate: rate(sumOf(endpoints, errorsOf), total) },
    endpoints: endpoints.map((endpoint) => ({
      method: endpoint.method,
      path: endpoint.path,
      count: endpoint.count,
      errorRate: rate(errorsOf(endpoint), endpoint.count),
      p50Ms: endpoint.latency.quantile(0.5) ?? 0,
      p95Ms: endpoint.latency.quantile(0.95) ?? 0,
      p99Ms: endpoint.latency.quantile(0.99) ?? 0,
    })),
    tasks,
  }
}

const errorsOf = ({ byClass }: EndpointReading) => byClass[SERVER_ERROR] ?? 0

const sumOf = (endpoints: readonly EndpointReading[], of: (endpoint: EndpointReading) => number) =>
  endpoints.reduce((sum, endpoint) => sum + of(endpoint), 0)

const rate = (part: number, whole: number) => (whole > 0 ? part / whole : 0)
