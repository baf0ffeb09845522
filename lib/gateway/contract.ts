import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'
import { CreateTaskSchema, TaskErrorSchema, TaskResultSchema, TaskStatusSchema } from '../tasks/schema.ts'
import { WORKFLOW_NAMES } from './workflows.ts'

/** A caller that waits longer than this for one answer is better served by `notifyUrl`. */
const LONGEST_WAIT_MS = 840_000
const WAIT_MS = 120_000

const WorkflowSchema = z.enum(WORKFLOW_NAMES)

const OptionsSchema = z
  .object({
    /** Answer when the task has ended instead of at once. */
    synchronous: z.boolean().default(false),
    /** Where to send an event when the task has ended. */
    notifyUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2_000)
      .optional(),
    /** Signs that event. */
    notifySecret: z.string().min(1).max(500).optional(),
    /** The longest wait of a synchronous request, in milliseconds. */
    timeout: z.int().min(1).max(LONGEST_WAIT_MS).default(WAIT_MS),
  })
  .refine(({ notifyUrl, notifySecret }) => !notifySecret || notifyUrl !== undefined, {
    path: ['notifySecret'],
    message: 'signs what goes to notifyUrl: give that too',
  })

export const GatewayBody = z.object({
  task: CreateTaskSchema,
  workflow: WorkflowSchema.default('custom'),
  options: OptionsSchema.prefault({}),
})
export type GatewayBody = z.output<typeof GatewayBody>

/** What the task came to: its result when completed, its error when it failed. */
const outcome = { result: TaskResultSchema.optional(), error: TaskErrorSchema.optional() }

/** `statusUrl` is there as long as the task has not ended: a path of this service. */
const GatewayAnswer = z.object({
  requestId: z.string(),
  taskId: z.string(),
  status: TaskStatusSchema,
  statusUrl: z.string().optional(),
  ...outcome,
})

export const GatewayStatus = z.object({
  requestId: z.string(),
  taskId: z.string(),
  workflow: WorkflowSchema,
  status: TaskStatusSchema,
  /** The last thing that the agent said of its progress; null before the first. */
  progress: z.string().nullable(),
  ...outcome,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type GatewayStatus = z.output<typeof GatewayStatus>

/** As for tasks: the same token, key and body within 24 hours is the same request, with `Idempotent-Replayed: true`. */
const IdempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .optional(),
})

export const gatewayRoutes = defineRoutes({
  submitRequest: {
    method: 'POST',
    path: '/api/gateway',
    summary: 'Hand in a task, under a workflow if you like: 202 at once, or 200 when it has ended',
    access: 'gateway',
    limited: true,
    headers: IdempotencyHeaders,
    body: GatewayBody,
    status: 202,
    alsoStatus: 200,
    response: GatewayAnswer,
  },
  requestStatus: {
    method: 'GET',
    path: '/api/gateway/{requestId}/status',
    summary: 'Read how a request of your own stands',
    access: 'gateway',
    params: z.object({ requestId: z.string().min(1).max(200) }),
    response: GatewayStatus,
  },
})
