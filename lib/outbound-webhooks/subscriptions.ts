import { busyError } from '../core/contention.ts'
import { createVersionedRow } from '../core/versioned-row.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { AnyWrite, Store } from '../ports/store.ts'
import type { TaskEvent } from '../tasks/schema.ts'
import { eventNames } from './events.ts'
import { SUBSCRIPTIONS_ID, type Subscriptions, type SubscriptionsRow, subscriptionsRows } from './rows.ts'
import { ALL_EVENTS } from './schema.ts'

type Needs = { store: Pick<Store, 'get' | 'commit'>; clock: Clock; entropy: Entropy }

/** Changed subscriptions, and the rows of the same commit. */
type Prepared = { subscriptions: Subscriptions; rows: readonly AnyWrite[] }

const NONE: SubscriptionsRow = { id: SUBSCRIPTIONS_ID, version: 0, subscriptions: {} }

/** The events of any webhook. */
export const subscribedEvents = (row: SubscriptionsRow | undefined): ReadonlySet<string> =>
  new Set(Object.values(row?.subscriptions ?? {}).flat())

/** Whether subscriptions to these events include one that an event of a task may cause. */
export const hasSubscriber = (type: TaskEvent['type'], subscribed: ReadonlySet<string>): boolean =>
  subscribed.size > 0 && eventNames(type).some((event) => subscribed.has(event) || subscribed.has(ALL_EVENTS))

/** Which webhook gets which events: one row, so that concurrent changes lose nothing and keep the limit of webhooks. */
export const createSubscriptions = (needs: Needs) => {
  let events = subscribedEvents(NONE)
  const cached = createVersionedRow<SubscriptionsRow, AnyWrite>(needs, {
    of: subscriptionsRows,
    first: NONE,
    busy: webhookContended,
    onRow: (row) => {
      events = subscribedEvents(row)
    },
  })

  return {
    /** Reads the subscriptions for `events`. */
    load: async (): Promise<void> => void (await cached.load()),
    /** The events of any webhook, as this process last read or wrote them. */
    events: (): ReadonlySet<string> => events,
    /** The events of each webhook: of all registrations that were answered before the call. */
    all: async (): Promise<Subscriptions> => (await cached.load()).subscriptions,
    /** Commits a change of webhooks with the new subscriptions. Throws Problem `unavailable` `webhook_contended`. */
    change: async (prepare: (now: Subscriptions) => Promise<Prepared>): Promise<void> => {
      await cached.change(async (before) => {
        const { subscriptions, rows } = await prepare(before.subscriptions)
        return { set: { subscriptions }, rows }
      })
    },
  }
}

export const webhookContended = () =>
  busyError('webhook_contended', 'Someone else changed the webhook. Try again')
