import { createHistogram, type Histogram } from '../core/histogram.ts'
import type { RecordRequest } from '../http/observe.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * The requests of one route. `byClass[5]` counts answers of 5xx; `faults` those of them that say that something failed,
 * which 501 does not: it says that an installation was not given what was asked for.
 */
export type EndpointReading = {
  method: string
  path: string
  count: number
  byClass: Float64Array
  faults: number
  totalMs: number
  latency: Pick<Histogram, 'quantile'>
}
export type RequestReading = { endpoints: readonly EndpointReading[]; perMinute: number }
export type RequestMetrics = { record: RecordRequest; read(): RequestReading }

type Endpoint = Pick<EndpointReading, 'count' | 'byClass' | 'faults' | 'totalMs'> & { latency: Histogram }

const CLASSES = 6
const FAULT = 500
const NOT_IMPLEMENTED = 501
/** The entry of all requests without a route: separate entries would let any caller grow the memory. */
const UNKNOWN = 'ANY *'

/**
 * Counts and latencies of every request since the start of the process, per route. `record` runs at each request, so it
 * costs one map look-up and a few additions; the number of routes bounds the memory.
 */
export const createRequestMetrics = ({ clock }: { clock: Pick<Clock, 'monotonic'> }): RequestMetrics => {
  const endpoints = new Map<string, Endpoint>()
  const minute = createMinute(clock)
  const add = (routeKey: string): Endpoint => {
    const endpoint = {
      count: 0,
      byClass: new Float64Array(CLASSES),
      faults: 0,
      totalMs: 0,
      latency: createHistogram(),
    }
    endpoints.set(routeKey, endpoint)
    return endpoint
  }
  return {
    record(routeKey, statusCode, durationMs) {
      const endpoint = endpoints.get(routeKey) ?? add(routeKey)
      const at = Math.min(CLASSES - 1, Math.floor(statusCode / 100))
      endpoint.count += 1
      endpoint.byClass[at] = (endpoint.byClass[at] ?? 0) + 1
      if (statusCode >= FAULT && statusCode !== NOT_IMPLEMENTED) endpoint.faults += 1
      endpoint.totalMs += durationMs
      endpoint.latency.record(durationMs)
      minute.count()
    },
    read: () => ({ endpoints: [...endpoints].map(toReading), perMinute: minute.total() }),
  }
}

const toReading = ([routeKey, endpoint]: [string, Endpoint]): EndpointReading => {
  const [method = '', path = ''] = (routeKey || UNKNOWN).split(' ')
  return { method, path, ...endpoint }
}

const SECONDS = 60

/** Counts events of the last sixty seconds: a ring with a bucket per second, each stamped with its second. */
const createMinute = (clock: Pick<Clock, 'monotonic'>) => {
  const counts = new Float64Array(SECONDS)
  const stamps = new Float64Array(SECONDS).fill(Number.NEGATIVE_INFINITY)
  const second = () => Math.floor(clock.monotonic() / 1_000)
  return {
    count() {
      const now = second()
      const at = now % SECONDS
      const before = stamps[at] === now ? (counts[at] ?? 0) : 0
      stamps[at] = now
      counts[at] = before + 1
    },
    /** Buckets of earlier rounds stay until their second comes again; their stamps identify them. */
    total(): number {
      const now = second()
      return counts.reduce((sum, count, at) => (now - (stamps[at] ?? 0) < SECONDS ? sum + count : sum), 0)
    },
  }
}
