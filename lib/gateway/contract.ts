import * as z from 'zod'
import { IdempotencyHeaders } from '../core/idempotency.ts'
import { boundedText, shownText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import { NewTaskSchema, TaskErrorSchema, TaskResultSchema, TaskStatusSchema } from '../tasks/schema.ts'
import { WORKFLOW_NAMES } from './workflows.ts'

/** The longest wait of a request; callers with longer tasks use `notifyUrl`. */
const LONGEST_WAIT_MS = 840_000
const WAIT_MS = 120_000

const WorkflowSchema = z.enum(WORKFLOW_NAMES)

const OptionsSchema = z
  .object({
    synchronous: z.boolean().default(false).describe('Respond when the task has ended'),
    notifyUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2_000)
      .optional()
      .describe('Receives an event when the task has ended'),
    notifySecret: shownText(500).optional().describe('Signs that event'),
    timeout: z
      .int()
      .min(1)
      .max(LONGEST_WAIT_MS)
      .default(WAIT_MS)
      .describe('The longest wait of a synchronous request, in milliseconds'),
  })
  .refine(({ notifyUrl, notifySecret }) => !notifySecret || notifyUrl !== undefined, {
    path: ['notifySecret'],
    message: 'needs notifyUrl',
  })

export const GatewayBody = z.object({
  task: NewTaskSchema,
  workflow: WorkflowSchema.default('custom'),
  options: OptionsSchema.prefault({}),
})
export type GatewayBody = z.output<typeof GatewayBody>

const outcome = { result: TaskResultSchema.optional(), error: TaskErrorSchema.optional() }

const GatewayAnswer = z.object({
  requestId: z.string(),
  taskId: z.string(),
  status: TaskStatusSchema,
  statusUrl: z.string().optional().describe('A path of this service; absent once the task has ended'),
  ...outcome,
})

export const GatewayStatus = z.object({
  requestId: z.string(),
  taskId: z.string(),
  workflow: WorkflowSchema,
  status: TaskStatusSchema,
  progress: z.string().nullable().describe('The latest message of the agent; null before the first'),
  ...outcome,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type GatewayStatus = z.output<typeof GatewayStatus>

export const gatewayRoutes = defineRoutes({
  submitRequest: {
    method: 'POST',
    path: '/api/gateway',
    summary: 'Create a task, optionally with a workflow: 202 immediately, or 200 when it has ended',
    about: 'With `options.synchronous` it waits for the end, at most `options.timeout`.',
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
    summary: 'Read the status of a request of yours',
    access: 'gateway',
    params: z.object({ requestId: boundedText(200).meta({ examples: ['req_01KF0Q8Y3V5W7X9Z'] }) }),
    response: GatewayStatus,
  },
})
