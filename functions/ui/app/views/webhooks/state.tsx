import { Tag, type Tone } from '../../components/tag.tsx'
import type { Webhook, WebhookDelivery } from '../../data/webhooks.ts'

type Look = { label: string; tone: Tone; meaning: string }

export const webhookLook = ({ active, failing, failureCount }: Webhook): Look => {
  if (failing)
    return {
      label: 'Failing',
      tone: 'bad',
      meaning: 'Its last delivery failed for good, so it was paused: what comes now waits',
    }
  if (!active) return { label: 'Paused', tone: 'plain', meaning: 'What comes now waits until it is resumed' }
  if (failureCount > 0)
    return {
      label: 'Send failed',
      tone: 'warn',
      meaning: 'Its last send failed. A delivery that has retries left is tried again',
    }
  return { label: 'Active', tone: 'good', meaning: 'It gets its events' }
}

export const WebhookState = ({ webhook }: { webhook: Webhook }) => {
  const { label, tone, meaning } = webhookLook(webhook)
  return (
    <span title={meaning} className="inline-flex shrink-0">
      <Tag tone={tone}>{label}</Tag>
    </span>
  )
}

/** Undefined if the webhook is active. */
export const pausedReason = ({ active }: Webhook): string | undefined =>
  active ? undefined : 'It is paused: resume it first'

const deliveryLook = ({ status, attempts, nextAttemptAt }: WebhookDelivery): Look => {
  if (status === 'delivered')
    return { label: 'Delivered', tone: 'good', meaning: 'The receiver answered 2xx' }
  if (status === 'failed') return { label: 'Failed', tone: 'bad', meaning: 'It is not tried again by itself' }
  if (nextAttemptAt === undefined)
    return { label: 'Held', tone: 'plain', meaning: 'It waits until the webhook is resumed' }
  if (attempts.length === 0) return { label: 'Waiting', tone: 'plain', meaning: 'It is about to be sent' }
  return { label: 'Retrying', tone: 'warn', meaning: 'It failed so far, and is tried again' }
}

export const DeliveryState = ({ delivery }: { delivery: WebhookDelivery }) => {
  const { label, tone, meaning } = deliveryLook(delivery)
  return (
    <span title={meaning} className="inline-flex shrink-0">
      <Tag tone={tone}>{label}</Tag>
    </span>
  )
}

/** `200`, `500`, `connect ECONNREFUSED` */
export const lastAnswer = ({ attempts }: WebhookDelivery): string => {
  const last = attempts.at(-1)
  if (last === undefined) return 'not sent yet'
  return last.error ?? String(last.statusCode)
}
