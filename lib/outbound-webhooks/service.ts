import { jsonText } from '../core/json.ts'
import { countedPage } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { truncatedIn } from '../core/truncated.ts'
import type { DeliveryRow, NewDelivery } from '../deliveries/schema.ts'
import type { EmittedEntry, Task } from '../tasks/schema.ts'
import type { DeliveriesQuery } from './contract.ts'
import { createDeliveryUpkeep } from './delivery-upkeep.ts'
import { toEvents } from './events.ts'
import { createRegistrations } from './registrations.ts'
import { type WebhookRow, webhooks } from './rows.ts'
import { ALL_EVENTS, type Webhook, type WebhookDelivery, type WebhookEvent } from './schema.ts'

type Needs = Parameters<typeof createRegistrations>[0] &
  Parameters<typeof createDeliveryUpkeep>[0] & { findTask: (id: string) => Promise<Task | undefined> }

const TEST_EVENT = 'webhook.test'

export type OutboundWebhooks = ReturnType<typeof createOutboundWebhooks>

/** Registrations of URLs that get the events of tasks, and the deliveries to them. */
export const createOutboundWebhooks = (needs: Needs) => {
  const { store, clock, ids, findTask, subscriptions, deliveries } = needs
  const { load, recover, ...registrations } = createRegistrations(needs)

  /** The webhooks that get an event now. Each is read by its key: an index may not have a new webhook yet. */
  const subscribedTo = async (event: WebhookEvent): Promise<readonly WebhookRow[]> => {
    const subscribed = Object.entries(await subscriptions.all()).filter(
      ([, events]) => events.includes(event) || events.includes(ALL_EVENTS),
    )
    const rows = await Promise.all(subscribed.map(([id]) => store.get(webhooks, id)))
    return rows.filter((row) => row !== undefined)
  }

  /** Adds a delivery for each subscribed webhook, with an id that derives from the event: a repeat adds none. */
  const emit = async (taskId: string, entry: EmittedEntry): Promise<void> => {
    const task = await findTask(taskId)
    if (task === undefined) return
    const about = { taskId: task.id, title: task.title }
    for (const emitted of toEvents(task, entry)) {
      const rows = await subscribedTo(emitted.event)
      await Promise.all(
        rows.map((row) =>
          deliveries.add({ ...toDelivery(row, `${entry.id}_${emitted.event}`, emitted), about }),
        ),
      )
    }
  }

  /** Sends a test event once, at once, also to a paused webhook. Its failure pauses nothing. */
  const test = async (id: string): Promise<WebhookDelivery> => {
    const row = await load(id)
    const payload = { webhookId: id, message: 'This is a test' }
    const event = { event: TEST_EVENT, timestamp: iso(clock.now()), payload }
    const delivery = { ...toDelivery(row, ids.next('evt'), event), once: true } as const
    return sentNow(delivery, await deliveries.insert(delivery))
  }

  /** Sends the delivery, unless another process has `taken` it, and resolves to it after the send. */
  const sentNow = async (
    { owner, id }: Pick<DeliveryRow, 'owner' | 'id'>,
    taken: DeliveryRow | undefined,
  ): Promise<WebhookDelivery> => {
    if (taken !== undefined) await deliveries.sendNow(taken)
    return toWebhookDelivery(await deliveries.get(owner, id))
  }

  const sendAgain = async (row: DeliveryRow): Promise<WebhookDelivery> =>
    sentNow(row, await deliveries.take(row))

  /** Sends one delivery to a paused webhook, and activates it if the receiver took it. */
  const resume = async (principal: Principal, id: string) => {
    const webhook = await registrations.get(id)
    if (webhook.active) return { resumed: true, webhook }
    const first = await deliveries.firstStopped(id)
    const delivery = first === undefined ? await test(id) : await sendAgain(first)
    const resumed = delivery.status === 'delivered'
    const after: Webhook = resumed
      ? await registrations.change(principal, id, { active: true })
      : await registrations.get(id)
    return { resumed, webhook: after, delivery }
  }

  return {
    ...registrations,
    ...createDeliveryUpkeep(needs),
    emit,
    test,
    resume,

    /** The deliveries of a webhook, newest first. Ended ones are kept for 30 days. */
    deliveries: async (id: string, { status, ...query }: DeliveriesQuery) => {
      await load(id)
      const scope = `deliveries:${id}${status === undefined ? '' : `:${status}`}`
      const { rows, facts } = await countedPage(query, scope, {
        page: (range) => deliveries.page(id, range, status),
        count: () => deliveries.count(id, status),
      })
      return { deliveries: rows.map(toWebhookDelivery), ...facts }
    },

    /**
     * Sends a delivery again at once, with the same id and body, and with all its retries; those of a paused webhook wait until
     * it is resumed.
     */
    redeliver: async (id: string, deliveryId: string): Promise<WebhookDelivery> => {
      await load(id)
      return sendAgain(await deliveries.get(id, deliveryId))
    },

    /** Sends again the deliveries that failed since a time; resolves to their number. */
    recover: async (id: string, since: string): Promise<number> => {
      const from = iso(Date.parse(since))
      const count = await deliveries.countFailed(id, from)
      await recover(id, from)
      return count
    },
  }
}

type Emitted = { event: string; timestamp: string; payload: object }

/** `{id, event, timestamp, payload}`, with the id of the delivery. */
const toDelivery = ({ id: owner, url }: WebhookRow, eventId: string, emitted: Emitted): NewDelivery => {
  const id = `${eventId}_${owner.slice(owner.indexOf('_') + 1)}`
  return { id, owner, url, event: emitted.event, body: jsonText({ id, ...emitted }) }
}

const toWebhookDelivery = (row: DeliveryRow): WebhookDelivery => {
  const { id, event, status, attempts, attemptsOmitted, body, createdAt, dueAt, stopped } = row
  const { timestamp = createdAt, payload = {} } = JSON.parse(body)
  return {
    id,
    event,
    ...(row.about && { taskId: row.about.taskId, taskTitle: row.about.title }),
    status,
    attempts: [...attempts],
    ...(attemptsOmitted === undefined ? {} : { attemptsOmitted }),
    timestamp,
    payload,
    createdAt,
    ...(dueAt === undefined || stopped !== undefined ? {} : { nextAttemptAt: dueAt }),
    ...truncatedIn(row, { body: 'payload' }),
  }
}
