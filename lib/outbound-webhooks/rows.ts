import { collection } from '../core/collection.ts'
import type { Webhook } from './schema.ts'

/**
 * A registration: `url` gets `events`. Secrets are sealed; the one before a rotation signs as well until `previousUntil`,
 * and so do the ones before it that are not over yet.
 * `resumeAt` is when the webhook was activated or a recovery was asked for. While it is there, held deliveries, and those
 * that failed between `recoverSince` and `resumeAt`, are being made due again.
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
  /** The newest first. */
  olderSecrets?: readonly { secret: string; until: number }[]
  resumeAt?: string
  recoverSince?: string
}

/** How ids of webhooks begin, and of nothing else that owns deliveries. */
export const WEBHOOK_ID = 'whk'
export const isWebhookId = (owner: string): boolean => owner.startsWith(`${WEBHOOK_ID}_`)

export const webhooks = collection<WebhookRow>({
  name: 'webhooks',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, resuming: { by: 'resumeAt' } },
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
    ...(['previousSecret', 'previousUntil', 'olderSecrets', 'resumeAt', 'recoverSince'] as const),
  ],
})

/**
 * What came of the sends of a webhook; apart from it, since it changes with every send. It outlives a webhook that is
 * deleted, with `deletedAt`, until the deliveries of that one are removed.
 */
export type WebhookHealth = Pick<Webhook, 'id' | 'lastDelivery' | 'deliveryCount' | 'failureCount'> & {
  deletedAt?: string
}

export const webhookHealth = collection<WebhookHealth>({
  name: 'webhookHealth',
  key: 'id',
  indexes: { deleted: { by: 'deletedAt' } },
})
