import type { Endpoints } from '../deliveries/schema.ts'
import type { Store } from '../ports/store.ts'
import { isWebhookId, type WebhookHealth, type WebhookRow, webhookHealth, webhooks } from './rows.ts'

/** Webhooks as endpoints of deliveries: their URL, whether they are paused or failing, and the results of sends. */
export const createWebhookEndpoints = ({
  store,
  openSecrets,
}: {
  store: Store
  openSecrets: (row: WebhookRow) => Promise<string[]>
}): Endpoints => ({
  of: async (owner, evenPaused = false) => {
    if (!isWebhookId(owner)) return undefined
    const row = await store.get(webhooks, owner)
    if (row === undefined) return 'gone'
    if (!row.active && !evenPaused) return 'paused'
    return { url: row.url, secrets: await openSecrets(row), isPaused: !row.active }
  },

  isFailing: async (owner) =>
    isWebhookId(owner) && ((await store.get(webhookHealth, owner))?.failureCount ?? 0) > 0,

  /** A webhook that loses a delivery is paused, so that it loses no other. */
  onLost: async (owner) => {
    if (!isWebhookId(owner) || (await store.get(webhooks, owner)) === undefined) return []
    return [{ update: webhooks, key: owner, set: { active: false, failing: true } }]
  },

  onSent: async ({ owner, at, isFirst, delivered }) => {
    if (!isWebhookId(owner)) return
    await store.commit<WebhookHealth>({
      update: webhookHealth,
      key: owner,
      set: { lastDelivery: at, ...(delivered ? { failureCount: 0 } : {}) },
      add: { deliveryCount: isFirst ? 1 : 0, ...(delivered ? {} : { failureCount: 1 }) },
    })
  },
})
