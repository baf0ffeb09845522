import * as z from 'zod'
import { DlqCountsSchema } from '../queue/schema.ts'
import { TaskStatusSchema } from '../tasks/schema.ts'

/** From best to worst; the whole has the status of its worst component. */
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

/** Absent when it could not be read: 0 would be wrong. */
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

const ComponentsSchema = z.object({
  queue: z.object({ ...component, details: QueueDetails.optional() }),
  adapters: z.object({ ...component, adapters: z.array(AdapterHealthSchema) }),
  circuitBreakers: z.object({ ...component, breakers: z.array(BreakerReadingSchema) }),
  deadLetterQueue: z.object({ ...component, details: DlqCountsSchema.optional() }),
  /** The isolation of agents' programs from the service, for admins, where agents run. It does not affect the whole. */
  sandbox: z.object(component).optional(),
})

export const DetailedHealthSchema = z
  .object({
    status: HealthStatusSchema,
    version: z.string(),
    timestamp,
    /** Seconds. */
    uptime: z.number(),
    components: ComponentsSchema,
    system: z.object({
      platform: z.string(),
      nodeVersion: z.string(),
      /** Bytes, and a percentage from 0 to 100. */
      memory: z.object({ used: z.number(), total: z.number(), percentage: z.number() }),
      cpu: z.object({ loadAverage: z.array(z.number()) }),
    }),
  })
  .meta({ id: 'DetailedHealth' })

const EndpointMetricsSchema = z.object({
  method: z.string(),
  path: z.string(),
  count: z.number(),
  errorRate: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
  p99Ms: z.number(),
})

/** Rates are 0..1, of answers of 5xx but 501; latencies and counts are those of this process since its start. */
export const MetricsSchema = z
  .object({
    scope: z.literal('instance'),
    /** Seconds. */
    uptime: z.number(),
    requests: z.object({ total: z.number(), perMinute: z.number(), errorRate: z.number() }),
    endpoints: z.array(EndpointMetricsSchema),
    tasks: z.record(TaskStatusSchema, z.number()),
  })
  .meta({ id: 'Metrics' })

export type Components = z.output<typeof ComponentsSchema>
export type DetailedHealth = z.output<typeof DetailedHealthSchema>
export type AdapterHealth = z.output<typeof AdapterHealthSchema>
export type BreakerReading = z.output<typeof BreakerReadingSchema>
export type Metrics = z.output<typeof MetricsSchema>
export type TaskCounts = Metrics['tasks']
