import * as z from 'zod'
import { TruncatedSchema } from '../core/truncated.ts'

/** The events of webhooks; `toEvents` has their payloads. */
export const WEBHOOK_EVENTS = [
  'task.created',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'agent.started',
  'agent.finished',
] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** Every event, also those of later versions. */
export const ALL_EVENTS = '*'
export const EventNameSchema = z.enum([...WEBHOOK_EVENTS, ALL_EVENTS])

/** The prefix of secrets that the service makes, and of masked ones. */
export const SECRET_PREFIX = 'wh_sec_'
export const MASKED_SECRET = `${SECRET_PREFIX}********`

export const WebhookSchema = z
  .object({
    id: z.string(),
    url: z.string().meta({ examples: ['https://example.com/hooks/tasks'] }),
    events: z.array(EventNameSchema),
    active: z.boolean().describe('Whether deliveries are sent; otherwise they wait'),
    failing: z.boolean().describe('Whether the webhook was paused because a delivery failed permanently'),
    secret: z
      .literal(MASKED_SECRET)
      .optional()
      .describe('Masked signing secret; absent if deliveries are not signed'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    createdBy: z.string(),
    lastDelivery: z.iso.datetime().optional().describe('Time of the last send'),
    deliveryCount: z.number().describe('Number of deliveries sent, each counted once'),
    failureCount: z.number().describe('Number of failed sends since the last success'),
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.output<typeof WebhookSchema>

export const DeliveryStatusSchema = z.enum(['pending', 'delivered', 'failed'])

export const DeliverySchema = z
  .object({
    id: z.string(),
    event: z.string().meta({ examples: ['task.failed'] }),
    taskId: z.string().optional(),
    taskTitle: z.string().optional().describe('Title of the task'),
    status: DeliveryStatusSchema,
    attempts: z.array(
      z.object({
        at: z.iso.datetime(),
        statusCode: z.number().optional(),
        responseBody: z.string().optional().describe('Beginning of the response body'),
        error: z.string().optional(),
        requestHeaders: z
          .record(z.string(), z.string())
          .optional()
          .meta({
            description: 'Headers as sent, with masked signatures; absent if nothing was sent',
            examples: [{ 'content-type': 'application/json', 'x-svc-signature': 'sha256=********' }],
          }),
        durationMs: z.number(),
      }),
    ),
    attemptsOmitted: z
      .number()
      .optional()
      .describe('Number of attempts between the first and the last 20, which are not stored'),
    timestamp: z.iso.datetime().describe('Time of the change that caused the event'),
    payload: z.unknown().describe('Payload of the event, as sent'),
    createdAt: z.iso.datetime(),
    nextAttemptAt: z.iso
      .datetime()
      .optional()
      .describe('Time of the next attempt; absent while the webhook is paused'),
    truncated: TruncatedSchema,
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.output<typeof DeliverySchema>
