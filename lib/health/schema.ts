import * as z from 'zod'
import { DlqCountsSchema } from '../queue/schema.ts'
import { RunnerSchema } from '../runners/schema.ts'
import { TaskStatusSchema } from '../tasks/schema.ts'

export const HEALTH_STATUSES = ['healthy', 'degraded', 'unhealthy'] as const
const HealthStatusSchema = z.enum(HEALTH_STATUSES)
export type HealthStatus = z.output<typeof HealthStatusSchema>

const timestamp = z.iso.datetime()
const component = { status: HealthStatusSchema, message: z.string(), lastChecked: timestamp }

export const SimpleHealthSchema = z.object({ status: z.literal('healthy'), timestamp })

export const ReadinessSchema = z.object({
  status: z.enum(['ready', 'not_ready']),
  checks: z.array(z.object({ name: z.string(), status: z.enum(['ready', 'not_ready']) })),
})
export type Readiness = z.output<typeof ReadinessSchema>

const QueueDetails = z.object({
  pending: z.number(),
  queued: z.number(),
  inProgress: z.number(),
  failed: z.number(),
  totalActive: z.number(),
})
const AdapterHealthSchema = z.object({
  type: z.string(),
  name: z.string(),
  healthy: z.boolean(),
  latencyMs: z.number().optional(),
})
const BreakerReadingSchema = z.object({
  name: z.string(),
  state: z.enum(['CLOSED', 'OPEN', 'HALF_OPEN']),
  failures: z.number(),
  successes: z.number(),
})

const RunnerReadingSchema = RunnerSchema.pick({
  name: true,
  status: true,
  drained: true,
  labels: true,
  isolation: true,
}).extend({
  agents: z.array(z.string()).describe('Agent types of the runner'),
})

const ComponentsSchema = z.object({
  queue: z.object({
    ...component,
    details: QueueDetails.optional().describe('Task counts; absent if they could not be read'),
  }),
  adapters: z.object({ ...component, adapters: z.array(AdapterHealthSchema) }),
  circuitBreakers: z.object({ ...component, breakers: z.array(BreakerReadingSchema) }),
  deadLetterQueue: z.object({ ...component, details: DlqCountsSchema.optional() }),
  runners: z.object({
    ...component,
    canRun: z
      .boolean()
      .optional()
      .describe('Whether a task can run now, in the service or on a runner; absent if unknown'),
    worker: z.enum(['on', 'off']).describe('Whether the service runs tasks itself (`WORKER`)'),
    runners: z.array(RunnerReadingSchema),
  }),
  sandbox: z
    .object(component)
    .optional()
    .describe(
      'Isolation of agent programs; for admins only, where agents run. Does not affect the overall status',
    ),
})

export const DetailedHealthSchema = z
  .object({
    status: HealthStatusSchema,
    version: z.string(),
    timestamp,
    uptime: z.number().describe('Uptime in seconds'),
    components: ComponentsSchema,
    system: z.object({
      platform: z.string(),
      nodeVersion: z.string(),
      memory: z
        .object({ used: z.number(), total: z.number(), percentage: z.number() })
        .describe('Memory in bytes, and the percentage used, 0 to 100'),
      cpu: z.object({ loadAverage: z.array(z.number()).describe('Load average over 1, 5 and 15 minutes') }),
    }),
  })
  .meta({ id: 'DetailedHealth' })

const errorRate = z.number().describe('Share of responses with status 5xx except 501, 0 to 1')
const EndpointMetricsSchema = z.object({
  method: z.string(),
  path: z.string(),
  count: z.number(),
  errorRate,
  p50Ms: z.number(),
  p95Ms: z.number(),
  p99Ms: z.number(),
})

export const MetricsSchema = z
  .object({
    scope: z.literal('instance').describe('Metrics cover this process since it started'),
    uptime: z.number().describe('Uptime in seconds'),
    requests: z.object({ total: z.number(), perMinute: z.number(), errorRate }),
    endpoints: z.array(EndpointMetricsSchema),
    tasks: z.record(TaskStatusSchema, z.number()),
  })
  .meta({ id: 'Metrics' })

export type Components = z.output<typeof ComponentsSchema>
export type DetailedHealth = z.output<typeof DetailedHealthSchema>
export type AdapterHealth = z.output<typeof AdapterHealthSchema>
export type RunnerReading = z.output<typeof RunnerReadingSchema>
export type BreakerReading = z.output<typeof BreakerReadingSchema>
export type Metrics = z.output<typeof MetricsSchema>
export type TaskCounts = Metrics['tasks']
