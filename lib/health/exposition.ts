import type { ProcessReading } from '../ports/process-info.ts'
import type { DlqCounts } from '../queue/schema.ts'
import type { EndpointReading } from './request-metrics.ts'
import type { BreakerReading, TaskCounts } from './schema.ts'

/** One metric with its samples. Names follow Prometheus's rules; a summary also has `_sum` and `_count`. */
type Family = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'summary'
  samples: readonly Sample[]
}
type Sample = { suffix?: '_sum' | '_count'; labels?: Labels; value: number }
type Labels = Readonly<Record<string, string>>

/** Prometheus text exposition format 0.0.4. */
export const expose = (families: readonly Family[]): string => families.map(exposeFamily).join('')

const exposeFamily = ({ name, help, type, samples }: Family) =>
  [
    `# HELP ${name} ${escapeHelp(help)}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelled(labels)} ${value}`),
    '',
  ].join('\n')

const labelled = (labels: Labels) => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"')

type Readings = {
  nowMs: number
  endpoints: readonly EndpointReading[]
  tasks: TaskCounts
  deadLetters: DlqCounts
  breakers: readonly BreakerReading[]
  process: ProcessReading
}

const QUANTILES = [0.5, 0.95, 0.99]
const DEAD_LETTER_STATES = ['pending', 'resolved', 'discarded'] as const

/** The readings as metrics, in Prometheus's base units and naming. */
export const metricFamilies = (readings: Readings): Family[] => [
  ...requestFamilies(readings.endpoints),
  gauge('agent_tasks', 'Tasks by state.', 'status', Object.entries(readings.tasks)),
  gauge(
    'agent_dead_letters',
    'Items of the dead letter queue by state.',
    'status',
    DEAD_LETTER_STATES.map((state) => [state, readings.deadLetters[state]]),
  ),
  gauge(
    'circuit_breaker_open',
    'Whether a circuit breaker rejects calls (1) or not (0).',
    'name',
    readings.breakers.map(({ name, state }) => [name, state === 'OPEN' ? 1 : 0]),
  ),
  ...processFamilies(readings),
]

const requestFamilies = (endpoints: readonly EndpointReading[]): Family[] => [
  {
    name: 'http_requests_total',
    help: 'Requests by route and status class.',
    type: 'counter',
    samples: endpoints.flatMap(requestSamples),
  },
  {
    name: 'http_request_duration_seconds',
    help: 'Request duration by route, since the process started.',
    type: 'summary',
    samples: endpoints.flatMap(durationSamples),
  },
]

const requestSamples = ({ method, path, byClass }: EndpointReading): Sample[] =>
  Array.from(byClass, (value, at) => ({ labels: { method, path, status: `${at}xx` }, value })).filter(
    ({ value }) => value > 0,
  )

const durationSamples = ({ method, path, count, totalMs, latency }: EndpointReading): Sample[] => [
  ...QUANTILES.map((quantile) => ({
    labels: { method, path, quantile: String(quantile) },
    value: (latency.quantile(quantile) ?? 0) / 1_000,
  })),
  { suffix: '_sum', labels: { method, path }, value: totalMs / 1_000 },
  { suffix: '_count', labels: { method, path }, value: count },
]

const processFamilies = ({ nowMs, process }: Readings): Family[] => [
  single(
    'process_start_time_seconds',
    'gauge',
    'Start of the process, in Unix time.',
    nowMs / 1_000 - process.uptimeSeconds,
  ),
  single('process_cpu_seconds_total', 'counter', 'CPU time used by the process.', process.cpuSeconds),
  single('process_resident_memory_bytes', 'gauge', 'Resident memory of the process.', process.residentBytes),
  single('nodejs_heap_size_used_bytes', 'gauge', 'JavaScript heap in use.', process.heapUsedBytes),
  single(
    'nodejs_eventloop_busy_seconds_total',
    'counter',
    'Time that the event loop was busy.',
    process.eventLoopBusySeconds,
  ),
]

const single = (name: string, type: 'counter' | 'gauge', help: string, value: number): Family => ({
  name,
  help,
  type,
  samples: [{ value }],
})

const gauge = (
  name: string,
  help: string,
  label: string,
  values: readonly (readonly [string, number])[],
): Family => ({
  name,
  help,
  type: 'gauge',
  samples: values.map(([labelled, value]) => ({ labels: { [label]: labelled }, value })),
})
