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
    synchronous: z.boolean().default(false).describe('Wait for the task to end before responding'),
    notifyUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2_000)
      .optional()
      .describe('URL that receives an event when the task has ended'),
    notifySecret: shownText(500).optional().describe('Secret that signs the event'),
    timeout: z
      .int()
      .min(1)
      .max(LONGEST_WAIT_MS)
      .default(WAIT_MS)
      .describe('Maximum wait of a synchronous request, in milliseconds'),
  })
  .refine(({ notifyUrl, notifySecret }) => !notifySecret || notifyUrl !== undefined, {
    path: ['notifySecret'],
    message: 'requires notifyUrl',
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
  statusUrl: z.string().optional().describe('Path of the status operation; absent once the task has ended'),
  ...outcome,
})

export const GatewayStatus = z.object({
  requestId: z.string(),
  taskId: z.string(),
  workflow: WorkflowSchema,
  status: TaskStatusSchema,
  progress: z.string().nullable().describe('Latest message of the agent; null before the first'),
  ...outcome,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type GatewayStatus = z.output<typeof GatewayStatus>

export const gatewayRoutes = defineRoutes({
  submitRequest: {
    method: 'POST',
    path: '/api/gateway',
    summary: 'Submit a gateway request',
    about:
      'Creates a task, optionally with a workflow, and returns 202 immediately. With `options.synchronous`, waits up to `options.timeout` and returns 200 if the task has ended.',
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
    summary: 'Get the status of a gateway request',
    access: 'gateway',
    params: z.object({ requestId: boundedText(200).meta({ examples: ['req_01KF0Q8Y3V5W7X9Z'] }) }),
    response: GatewayStatus,
  },
})
