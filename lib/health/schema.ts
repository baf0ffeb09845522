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
  agents: z.array(z.string()).describe('The types of the agents that it has'),
})

const ComponentsSchema = z.object({
  queue: z.object({
    ...component,
    details: QueueDetails.optional().describe('Absent when it could not be read'),
  }),
  adapters: z.object({ ...component, adapters: z.array(AdapterHealthSchema) }),
  circuitBreakers: z.object({ ...component, breakers: z.array(BreakerReadingSchema) }),
  deadLetterQueue: z.object({ ...component, details: DlqCountsSchema.optional() }),
  runners: z.object({
    ...component,
    canRun: z
      .boolean()
      .optional()
      .describe(
        'Whether anything can run a task now: the service with an agent of its own, or a runner. Absent when it could not be read',
      ),
    worker: z.enum(['on', 'off']).describe('Whether the service runs tasks itself (`WORKER`)'),
    runners: z.array(RunnerReadingSchema),
  }),
  sandbox: z
    .object(component)
    .optional()
    .describe(
      'The isolation of the programs of agents, for admins, where agents run. It does not affect the whole',
    ),
})

export const DetailedHealthSchema = z
  .object({
    status: HealthStatusSchema,
    version: z.string(),
    timestamp,
    uptime: z.number().describe('Seconds'),
    components: ComponentsSchema,
    system: z.object({
      platform: z.string(),
      nodeVersion: z.string(),
      memory: z
        .object({ used: z.number(), total: z.number(), percentage: z.number() })
        .describe('Bytes, and a percentage from 0 to 100'),
      cpu: z.object({ loadAverage: z.array(z.number()).describe('Of 1, 5 and 15 minutes') }),
    }),
  })
  .meta({ id: 'DetailedHealth' })

const errorRate = z.number().describe('0 to 1, of 5xx but 501')
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
    scope: z.literal('instance').describe('Figures are those of this process since its start'),
    uptime: z.number().describe('Seconds'),
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
