import { collection } from '../core/collection.ts'
import type { Webhook } from './schema.ts'

/**
 * `url` gets `events`. Secrets are sealed; a replaced one signs until its `until`. While `resumeAt` is set, the time of
 * an activation or a recovery, held deliveries, and those that failed from `recoverSince` on, are being made due again.
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
  /** Newest first. */
  olderSecrets?: readonly { secret: string; until: number }[]
  resumeAt?: string
  recoverSince?: string
}

/** The prefix of webhooks' ids, which no other owner of deliveries has. */
export const WEBHOOK_ID = 'whk'
export const isWebhookId = (owner: string): boolean => owner.startsWith(`${WEBHOOK_ID}_`)

export const webhooks = collection<WebhookRow>({
  name: 'webhooks',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, resuming: { by: 'resumeAt' } },
})

/** The results of sends, which change with every one. After a deletion it stays until the deliveries are removed. */
export type WebhookHealth = Pick<Webhook, 'id' | 'lastDelivery' | 'deliveryCount' | 'failureCount'> & {
  deletedAt?: string
}

export const webhookHealth = collection<WebhookHealth>({
  name: 'webhookHealth',
  key: 'id',
  indexes: { deleted: { by: 'deletedAt' } },
})

/** The events of each webhook, by its id. */
export type Subscriptions = Readonly<Record<string, readonly string[]>>

/** `version` grows with each change, so that concurrent changes do not undo each other. */
export type SubscriptionsRow = { id: string; version: number; subscriptions: Subscriptions }

export const SUBSCRIPTIONS_ID = 'subscriptions'

export const subscriptionsRows = collection<SubscriptionsRow>({
  name: 'webhookSubscriptions',
  key: 'id',
  indexes: {},
})
