import * as z from 'zod'

/** Who sends events here: a code host and two trackers. */
export const SENDERS = ['codehost', 'trackera', 'trackerb'] as const
export type Sender = (typeof SENDERS)[number]

/** When configured, what came so far; `lastEvent` is null before the first event. */
const SenderStatusSchema = z.object({
  configured: z.boolean(),
  lastEvent: z.iso.datetime().nullable().optional(),
  eventCount: z.number().optional(),
})

export const WebhookStatusSchema = z.object({
  codehost: SenderStatusSchema,
  trackera: SenderStatusSchema,
  trackerb: SenderStatusSchema,
})
export type WebhookStatus = z.output<typeof WebhookStatusSchema>
