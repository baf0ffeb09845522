import * as z from 'zod'

export const SENDERS = ['codehost', 'trackera', 'trackerb'] as const
export type Sender = (typeof SENDERS)[number]

/** Whether the sender is configured, and its events so far; `lastEvent` is null before the first event. */
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
