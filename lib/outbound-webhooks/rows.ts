import { collection } from '../core/collection.ts'
import type { Webhook } from './schema.ts'

/**
 * A registration: whoever is at `url` hears of `events`. Secrets are sealed; the one before a rotation signs as well until
 * `previousUntil`. While `wakeAt` is there, deliveries that waited, and those that failed since `recoverSince`, are
 * being made due again, those up to `wokenUntil` already are.
 */
export type WebhookRow = Pick<
  Webhook,
  'id' | 'url' | 'events' | 'active' | 'createdAt' | 'updatedAt' | 'createdBy'
> & {
  failing?: true
  secret?: string
  previousSecret?: string
  /** Epoch milliseconds. */
  previousUntil?: number
  wakeAt?: string
  wokenUntil?: string
  recoverSince?: string
}

/** How ids of webhooks begin, and of nothing else that owns deliveries. */
export const WEBHOOK_ID = 'whk'
export const isWebhookId = (owner: string): boolean => owner.startsWith(`${WEBHOOK_ID}_`)

export const webhooks = collection<WebhookRow>({
  name: 'webhooks',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, waking: { by: 'wakeAt' } },
  summary: [
    ...([
      'id',
      'url',
      'events',
      'active',
      'failing',
      'createdAt',
      'updatedAt',
      'createdBy',
      'secret',
    ] as const),
    ...(['previousSecret', 'previousUntil', 'wakeAt', 'wokenUntil', 'recoverSince'] as const),
  ],
})

/** What came of the sends of a webhook; apart from it, since it changes with every send. */
export type WebhookHealth = Pick<Webhook, 'id' | 'lastDelivery' | 'deliveryCount' | 'failureCount'>

export const webhookHealth = collection<WebhookHealth>({ name: 'webhookHealth', key: 'id', indexes: {} })
