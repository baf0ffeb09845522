import { missing, Problem } from '../core/errors.ts'
import { type PageQuery, pageFacts, totalOf } from '../core/page.ts'
import { iso } from '../core/time.ts'
import type { DeliveryRow, NewDelivery } from '../deliveries/schema.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'
import type { HeardEntry, Task } from '../tasks/schema.ts'
import { eventsOf } from './events.ts'
import type { WebhookDeliveries } from './needs.ts'
import { createRegistrations } from './registrations.ts'
import { type WebhookRow, webhooks } from './rows.ts'
import { ALL_EVENTS, type WebhookDelivery } from './schema.ts'

type Needs = Parameters<typeof createRegistrations>[0] & {
  store: Store
  clock: Clock
  ids: Ids
  findTask: (id: string) => Promise<Task | undefined>
  deliveries: WebhookDeliveries
}

export const TEST_EVENT = 'webhook.test'

/** Deliveries that one call makes due again. */
const MOST_WOKEN = 1_000
const MOST_WAKING = 100

export type OutboundWebhooks = ReturnType<typeof createOutboundWebhooks>

/** Others hear of what happens to tasks: registrations of URLs, and the deliveries to them. */
export const createOutboundWebhooks = (needs: Needs) => {
  const { store, clock, ids, findTask, deliveries } = needs
  const registrations = createRegistrations(needs)
  const { all, load, healthOf, create, change, remove, rotate, list, get } = registrations

  /**
   * Handles the notice that an event of a task was heard: adds a delivery to each webhook that hears of it now. Their
   * ids follow from the event, so that a repeated notice adds none.
   */
  const tell = async (taskId: string, entry: HeardEntry): Promise<void> => {
    const [rows, task] = await Promise.all([all(), findTask(taskId)])
    if (task === undefined) return
    for (const { event, timestamp, payload } of eventsOf(task, entry))
      await Promise.all(
        rows
          .filter(({ events }) => events.some((name) => name === event || name === ALL_EVENTS))
          .map((row) =>
            deliveries.add(envelopeOf(row, `${entry.id}_${event}`, { event, timestamp, payload })),
          ),
      )
  }

  const loadActive = async (id: string): Promise<WebhookRow> => {
    const row = await load(id)
    if (row.active) return row
    throw new Problem(
      'invalid',
      'webhook_paused',
      'This webhook is paused: activate it first, by PATCH with active: true',
    )
  }

  /** Sends a test event at once, and answers what came of it. Throws Problem `invalid` `webhook_paused`. */
  const test = async (id: string): Promise<WebhookDelivery> => {
    const row = await loadActive(id)
    const payload = { webhookId: id, message: 'This is a test' }
    const told = { event: TEST_EVENT, timestamp: iso(clock.now()), payload }
    return sentNow(await deliveries.insert(envelopeOf(row, ids.next('evt'), told)))
  }

  const sentNow = async (row: DeliveryRow | undefined): Promise<WebhookDelivery> => {
    if (row === undefined) throw missing('Delivery')
    await deliveries.sendNow(row)
    return shownDelivery(await deliveries.get(row.owner, row.id))
  }

  return {
    ...{ create, change, remove, rotate, list, get, tell, test },

    /** The deliveries of a webhook, newest first. Those that have ended are kept for 30 days. */
    deliveries: async (id: string, query: PageQuery) => {
      await load(id)
      const scope = `deliveries:${id}`
      const [page, health] = await Promise.all([deliveries.page(id, query, scope), healthOf(id)])
      return {
        deliveries: page.rows.map(shownDelivery),
        ...pageFacts(page, totalOf(page, health?.deliveryCount, query), query, scope),
      }
    },

    /** Sends a delivery again at once, with the same id and body, and with all its retries. */
    redeliver: async (id: string, deliveryId: string): Promise<WebhookDelivery> => {
      await loadActive(id)
      return sentNow(await deliveries.makeDue(await deliveries.get(id, deliveryId)))
    },

    /** Has what failed since then sent again; resolves to how many deliveries that are. */
    recover: async (id: string, since: string): Promise<number> => {
      await loadActive(id)
      const from = iso(Date.parse(since))
      const count = await deliveries.countFailed(id, from)
      await store.commit<WebhookRow>({
        update: webhooks,
        key: id,
        set: { wakeAt: iso(clock.now()), recoverSince: from, wokenUntil: from },
      })
      return count
    },

    /** Makes due what waited for a webhook that is active again, and what is to be recovered; the rest at the next call. */
    wakeDue: async (): Promise<void> => {
      const waking = { index: 'waking', order: 'asc', limit: MOST_WAKING } as const
      for (const row of (await store.page(webhooks, waking)).rows) await wake(row)
    },
  }

  async function wake({ id, wakeAt, wokenUntil, recoverSince, active }: WebhookRow): Promise<void> {
    const over = { update: webhooks, key: id, when: { wakeAt: wakeAt ?? null } } as const
    const last = active
      ? await deliveries.wake({ owner: id, from: wokenUntil, failedSince: recoverSince, most: MOST_WOKEN })
      : undefined
    await store.commit<WebhookRow>(
      last === undefined
        ? { ...over, unset: ['wakeAt', 'wokenUntil', 'recoverSince'] }
        : { ...over, set: { wokenUntil: last } },
    )
  }
}

type ToldEvent = { event: string; timestamp: string; payload: object }

/** `{id, event, timestamp, payload}`, whose id is that of the delivery. */
const envelopeOf = ({ id: owner, url }: WebhookRow, eventId: string, told: ToldEvent): NewDelivery => {
  const id = `${eventId}_${owner.slice(owner.indexOf('_') + 1)}`
  return { id, owner, url, event: told.event, body: JSON.stringify({ id, ...told }) }
}

const shownDelivery = ({
  id,
  event,
  status,
  attempts,
  body,
  createdAt,
  dueAt,
}: DeliveryRow): WebhookDelivery => {
  const { timestamp, payload } = JSON.parse(body)
  return {
    ...{ id, event, status, attempts: [...attempts], timestamp, payload, createdAt },
    ...(dueAt === undefined ? {} : { nextAttemptAt: dueAt }),
  }
}
