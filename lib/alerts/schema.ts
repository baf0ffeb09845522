import * as z from 'zod'
import { boundedText } from '../core/shown-text.ts'

/** `approvals` are calls of tasks that wait for a decision, `results` the ends of tasks. */
const ALERT_TOPICS = ['approvals', 'results'] as const
const AlertTopicSchema = z.enum(ALERT_TOPICS)
export type AlertTopic = z.output<typeof AlertTopicSchema>

const AnyTopicsSchema = z
  .array(AlertTopicSchema)
  .max(ALERT_TOPICS.length)
  .describe('Topics: `approvals` for calls of your tasks that need approval, `results` for ended tasks')

export const AlertTopicsSchema = AnyTopicsSchema.min(1)

export const EmailAlertsSchema = z
  .object({
    address: z
      .string()
      .optional()
      .describe('Email address of your account; absent if it has no usable one')
      .meta({ examples: ['ann@example.org'] }),
    topics: AnyTopicsSchema.meta({ examples: [['approvals']] }),
  })
  .meta({ id: 'EmailAlerts' })
export type EmailAlerts = z.output<typeof EmailAlertsSchema>

export const PushSubscriptionSchema = z
  .object({
    id: z.string().meta({ examples: ['psh_5vW7X9Z2aBcDeFgHiJkLmN'] }),
    device: boundedText(100).meta({ examples: ['Firefox on Android'] }),
    topics: AlertTopicsSchema,
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'PushSubscription' })
export type PushSubscription = z.output<typeof PushSubscriptionSchema>

/** What a message is about. It is composed when it is sent: one whose cause is gone by then is not sent. */
export const AlertCauseSchema = z.discriminatedUnion('topic', [
  z.object({ topic: z.literal('approvals'), approvalId: z.string() }),
  z.object({ topic: z.literal('results'), taskId: z.string(), endedAt: z.string() }),
])
export type AlertCause = z.output<typeof AlertCauseSchema>
