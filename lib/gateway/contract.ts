import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'
import { CreateTaskSchema, TaskErrorSchema, TaskResultSchema, TaskStatusSchema } from '../tasks/schema.ts'
import { WORKFLOW_NAMES } from './workflows.ts'

/** The longest wait of a request; callers with longer tasks use `notifyUrl`. */
const LONGEST_WAIT_MS = 840_000
const WAIT_MS = 120_000

const WorkflowSchema = z.enum(WORKFLOW_NAMES)

const OptionsSchema = z
  .object({
    /** Answer at the end of the task instead of at once. */
    synchronous: z.boolean().default(false),
    /** The URL of the event at the end of the task. */
    notifyUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2_000)
      .optional(),
    /** The secret that signs that event. */
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

/** The outcome of the task: its result when completed, its error when failed. */
const outcome = { result: TaskResultSchema.optional(), error: TaskErrorSchema.optional() }

/** `statusUrl`, a path of this service, is set until the task has ended. */
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
  /** The agent's latest progress message; null before the first. */
  progress: z.string().nullable(),
  ...outcome,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type GatewayStatus = z.output<typeof GatewayStatus>

/** As for tasks: a repeated token, key and body within 24 hours is the same request, with `Idempotent-Replayed: true`. */
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
