import { createContention } from '../core/contention.ts'
import { Problem } from '../core/errors.ts'
import { createRowCache, versionedWrite } from '../core/versioned-row.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { AnyWrite, Store } from '../ports/store.ts'
import { SUBSCRIPTIONS_ID, type Subscriptions, type SubscriptionsRow, subscriptionsRows } from './rows.ts'

type Needs = { store: Pick<Store, 'get' | 'commit'>; clock: Clock; entropy: Entropy }

/** Changed subscriptions, and the rows of the same commit. */
type Prepared = { subscriptions: Subscriptions; rows: readonly AnyWrite[] }

const NONE: SubscriptionsRow = { id: SUBSCRIPTIONS_ID, version: 0, subscriptions: {} }

/** The events of any webhook. */
export const subscribedEvents = (row: SubscriptionsRow | undefined): ReadonlySet<string> =>
  new Set(Object.values(row?.subscriptions ?? {}).flat())

/** Which webhook gets which events: one row, so that concurrent changes lose nothing and keep the limit of webhooks. */
export const createSubscriptions = ({ store, clock, entropy }: Needs) => {
  const contend = createContention({ timer: clock, entropy })
  let events = subscribedEvents(NONE)
  const cache = createRowCache<SubscriptionsRow>({
    read: () => store.get(subscriptionsRows, SUBSCRIPTIONS_ID),
    first: NONE,
    staleAfterMs: Number.POSITIVE_INFINITY,
    clock,
    onRow: (row) => {
      events = subscribedEvents(row)
    },
  })

  return {
    /** Reads the subscriptions for `events`. */
    load: cache.load,
    /** The events of any webhook, as this process last read or wrote them. */
    events: (): ReadonlySet<string> => events,
    /** The events of each webhook: of all registrations that were answered before the call. */
    all: async (): Promise<Subscriptions> => {
      await cache.load()
      return cache.row().subscriptions
    },
    /**
     * Commits a change of webhooks together with the new subscriptions. Throws the errors of `prepare`, and Problem
     * `unavailable` `webhook_contended` when other writers win every time.
     */
    change: async (prepare: (now: Subscriptions) => Promise<Prepared>): Promise<void> => {
      const isChanged = await contend(async () => {
        await cache.load()
        const before = cache.row()
        const { subscriptions, rows } = await prepare(before.subscriptions)
        const next = { ...before, version: before.version + 1, subscriptions }
        const write = versionedWrite(subscriptionsRows, before, next)
        const { applied } = await store.commit<SubscriptionsRow>(write, rows)
        if (!applied) return undefined
        cache.put(next)
        return true
      })
      if (!isChanged) throw webhookContended()
    },
  }
}

export const webhookContended = () =>
  new Problem('unavailable', 'webhook_contended', 'The webhook was changed meanwhile; send it again', {
    retryAfterMs: 1_000,
  })
