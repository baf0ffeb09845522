import { Tag, type Tone } from '../../components/tag.tsx'
import type { Webhook, WebhookDelivery } from '../../data/webhooks.ts'

type Look = { label: string; tone: Tone; meaning: string }

export const webhookLook = ({ active, failing, failureCount }: Webhook): Look => {
  if (failing)
    return {
      label: 'Failing',
      tone: 'bad',
      meaning: 'Paused because its last delivery failed. New deliveries wait',
    }
  if (!active) return { label: 'Paused', tone: 'plain', meaning: 'New deliveries wait until it is resumed' }
  if (failureCount > 0)
    return { label: 'Retrying', tone: 'warn', meaning: 'Its last attempt failed and is retried' }
  return { label: 'Active', tone: 'good', meaning: 'Receives its events' }
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
  active ? undefined : 'Paused. Resume it first'

const deliveryLook = ({ status, attempts, nextAttemptAt }: WebhookDelivery): Look => {
  if (status === 'delivered')
    return { label: 'Delivered', tone: 'good', meaning: 'The receiver responded 2xx' }
  if (status === 'failed') return { label: 'Failed', tone: 'bad', meaning: 'Not retried automatically' }
  if (nextAttemptAt === undefined)
    return { label: 'Held', tone: 'plain', meaning: 'Waits until the webhook is resumed' }
  if (attempts.length === 0) return { label: 'Waiting', tone: 'plain', meaning: 'About to be sent' }
  return { label: 'Retrying', tone: 'warn', meaning: 'Failed so far. Retried automatically' }
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
