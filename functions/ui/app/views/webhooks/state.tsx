import { Tag, type Tone } from '../../components/tag.tsx'
import type { Webhook, WebhookDelivery } from '../../data/webhooks.ts'

type Look = { says: string; tone: Tone; means: string }

/** How a webhook stands, in words. */
export const lookOf = ({ active, failing, failureCount }: Webhook): Look => {
  if (failing)
    return {
      says: 'Failing',
      tone: 'bad',
      means: 'Its last delivery failed for good, so it was paused: what comes now waits',
    }
  if (!active) return { says: 'Paused', tone: 'plain', means: 'What comes now waits until it is resumed' }
  if (failureCount > 0)
    return {
      says: 'Send failed',
      tone: 'warn',
      means: 'Its last send failed. A delivery that has retries left is tried again',
    }
  return { says: 'Active', tone: 'good', means: 'It gets its events' }
}

export const WebhookState = ({ webhook }: { webhook: Webhook }) => {
  const { says, tone, means } = lookOf(webhook)
  return (
    <span title={means} className="inline-flex shrink-0">
      <Tag tone={tone}>{says}</Tag>
    </span>
  )
}

/** Why nothing can be sent now; undefined where it can. */
export const pausedReason = ({ active }: Webhook): string | undefined =>
  active ? undefined : 'It is paused: resume it first'

const deliveryLook = ({ status, attempts, nextAttemptAt }: WebhookDelivery): Look => {
  if (status === 'delivered') return { says: 'Delivered', tone: 'good', means: 'The receiver answered 2xx' }
  if (status === 'failed') return { says: 'Failed', tone: 'bad', means: 'It is not tried again by itself' }
  if (nextAttemptAt === undefined)
    return { says: 'Held', tone: 'plain', means: 'It waits until the webhook is resumed' }
  if (attempts.length === 0) return { says: 'Waiting', tone: 'plain', means: 'It is about to be sent' }
  return { says: 'Retrying', tone: 'warn', means: 'It failed so far, and is tried again' }
}

/** What has come of a delivery. */
export const DeliveryState = ({ delivery }: { delivery: WebhookDelivery }) => {
  const { says, tone, means } = deliveryLook(delivery)
  return (
    <span title={means} className="inline-flex shrink-0">
      <Tag tone={tone}>{says}</Tag>
    </span>
  )
}

/** What came of the last attempt, in one line: `200`, `500`, `connect ECONNREFUSED`. */
export const answerOf = ({ attempts }: WebhookDelivery): string => {
  const last = attempts.at(-1)
  if (last === undefined) return 'not sent yet'
  return last.error ?? String(last.statusCode)
}
