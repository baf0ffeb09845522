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
    active: z.boolean().describe('While it is false, deliveries wait'),
    failing: z.boolean().describe('Its last delivery failed for good, so it was paused'),
    secret: z.literal(MASKED_SECRET).optional().describe('There when deliveries are signed'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    createdBy: z.string(),
    lastDelivery: z.iso.datetime().optional().describe('When something was sent last'),
    deliveryCount: z.number().describe('Deliveries that were sent, each counted once'),
    failureCount: z.number().describe('Failed sends since the last one that succeeded'),
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.output<typeof WebhookSchema>

export const DeliveryStatusSchema = z.enum(['pending', 'delivered', 'failed'])

export const DeliverySchema = z
  .object({
    id: z.string(),
    event: z.string().meta({ examples: ['task.failed'] }),
    taskId: z.string().optional(),
    taskTitle: z.string().optional().describe('Of the task that the event is about'),
    status: DeliveryStatusSchema,
    attempts: z.array(
      z.object({
        at: z.iso.datetime(),
        statusCode: z.number().optional(),
        responseBody: z.string().optional().describe('The beginning of the answer'),
        error: z.string().optional(),
        requestHeaders: z
          .record(z.string(), z.string())
          .optional()
          .meta({
            description: 'As they were sent, with masked signatures; absent where nothing was sent',
            examples: [{ 'content-type': 'application/json', 'x-svc-signature': 'sha256=********' }],
          }),
        durationMs: z.number(),
      }),
    ),
    attemptsOmitted: z
      .number()
      .optional()
      .describe('Attempts between the first one and the last 20, which are not kept'),
    timestamp: z.iso.datetime().describe('Of the change that caused the event'),
    payload: z.unknown().describe('The payload of the event, as it was sent'),
    createdAt: z.iso.datetime(),
    nextAttemptAt: z.iso.datetime().optional().describe('Absent while its webhook is paused'),
    truncated: TruncatedSchema,
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.output<typeof DeliverySchema>
