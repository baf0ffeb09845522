import { errorMessage } from '../core/errors.ts'
import { rowPages } from '../core/page.ts'
import { LONGEST_RETRY_AFTER_MS } from '../core/retry-after.ts'
import { iso } from '../core/time.ts'
import { CORRECTED, createStepWatch, isTooLate, tooLateFrom } from '../core/wrong-clock.ts'
import type { Position } from '../ports/store.ts'
import { createFairQueue } from './fair-queue.ts'
import { deliveryRows } from './rows.ts'
import type { AddDelivery, DeliveryRow, Endpoints, NewDelivery } from './schema.ts'
import { createSend, type Due, HELD_MS, LEASE_MS } from './send.ts'

/** Combines the endpoints of several kinds of owners, each of which knows its own. */
export const anyEndpoints = (...kinds: readonly Endpoints[]): Endpoints => ({
  of: async (owner, evenPaused) => {
    for (const kind of kinds) {
      const endpoint = await kind.of(owner, evenPaused)
      if (endpoint !== undefined) return endpoint
    }
    return undefined
  },
  isFailing: async (owner) => {
    for (const kind of kinds) if (await kind.isFailing(owner)) return true
    return false
  },
  onLost: async (owner) => (await Promise.all(kinds.map((kind) => kind.onLost(owner)))).flat(),
  onSent: async (sent) => {
    for (const kind of kinds) await kind.onSent(sent)
  },
})

const PAGE = 100
/** The most pages that one call of `sendDue` reads; the next call continues. */
const MOST_PAGES = 20
/** The interval of further reads while due deliveries are being sent. */
const READ_AGAIN_MS = 5_000

type Needs = Parameters<typeof createSend>[0] & {
  /** Leaves sends to a failing endpoint to the tick: in a function it would delay the messages behind a batch. */
  defersFailing?: boolean
}

/**
 * Delivers events to URLs at least once. A delivery is sent when it is added, and again by the retry schedule until
 * the receiver answers 2xx or 410 (gone), or the schedule ends. When its process dies, a repeated notice or a tick
 * sends it after the end of that process's lease.
 */
export const createDeliveries = (needs: Needs) => {
  const { store, clock, log, endpoints, tracing, delaysMs, defersFailing = false } = needs
  const send = createSend(needs)
  let stopped = false
  let startsUntil = Number.POSITIVE_INFINITY
  let readFrom: Position | undefined
  let hasUnread = false
  const isOpen = () => !stopped && clock.monotonic() < startsUntil

  const queue = createFairQueue(
    (row: Due) =>
      send(row).catch((thrown) =>
        log.warn({ deliveryId: row.id, reason: errorMessage(thrown) }, 'a delivery was not sent'),
      ),
    isOpen,
  )

  const mayHaveStepped = createStepWatch(clock)

  /** The wait of a delivery from now on; undefined where its due time may be as late as it is. */
  const waitFromNow = ({ dueAt = '', stopped, tries = 0 }: DeliveryRow, now: number) => {
    if (stopped === undefined) return delaysMs()[tries - 1] ?? 0
    return isTooLate(Date.parse(dueAt), now + HELD_MS) ? HELD_MS : undefined
  }

  const correct = async (row: DeliveryRow, now: number): Promise<void> => {
    const waitMs = waitFromNow(row, now)
    if (waitMs === undefined) return
    const { id, dueAt: before = '' } = row
    const set = { dueAt: iso(now + waitMs) }
    const when = { status: 'pending', dueAt: before } as const
    const { applied } = await store.commit<DeliveryRow>({ update: deliveryRows, key: id, when, set })
    if (applied) log.warn({ deliveryId: id, before, ...set }, CORRECTED)
  }

  /** Computes due times anew that were stored under a clock ahead. */
  const correctDueTimes = async (): Promise<void> => {
    if (!mayHaveStepped()) return
    const now = clock.now()
    const longestMs = Math.max(LONGEST_RETRY_AFTER_MS, LEASE_MS, ...delaysMs())
    const where = [{ field: 'dueAt' as const, from: tooLateFrom(now + longestMs) }]
    const ahead = { index: 'due', order: 'desc', limit: PAGE, where } as const
    for await (const rows of rowPages((from) => store.page(deliveryRows, { ...ahead, ...from })))
      for (const row of rows) await correct(row, now)
  }

  /** Starts to send due deliveries; resolves after the read. Rows of a full endpoint are read again by a later call. */
  const sendDue = async (): Promise<void> => {
    await correctDueTimes()
    const where = [{ field: 'dueAt' as const, to: iso(clock.now()) }]
    const due = { index: 'due', order: 'asc', where, limit: PAGE } as const
    let passed = 0
    for (let pages = 0; pages < MOST_PAGES && !stopped; pages += 1) {
      const { rows, next } = await store.page(deliveryRows, { ...due, ...(readFrom && { after: readFrom }) })
      for (const { id, owner, url, dueAt = '', stopped } of rows)
        if (!queue.offer({ id, owner, url, dueAt, stopped })) passed += 1
      readFrom = next
      if (next === undefined) break
    }
    hasUnread = passed > 0 || readFrom !== undefined
  }

  /** The row of a delivery, inserted or already stored; any process may send it after `leaseMs`. */
  const insert = async (delivery: NewDelivery, leaseMs: number) => {
    const now = clock.now()
    const times = { dueAt: iso(now + leaseMs), createdAt: iso(now) }
    const trace = tracing.current()
    const traced = trace?.requestId === undefined && trace?.traceparent === undefined ? {} : { trace }
    const row: DeliveryRow = { ...delivery, ...traced, status: 'pending', tries: 0, attempts: [], ...times }
    const { applied, row: stored } = await store.commit<DeliveryRow>({ insert: deliveryRows, row })
    return { applied, row: applied ? row : stored }
  }

  /** Sends the delivery if a place is free; it is inserted with this process's lease and so needs no claim. */
  const add: AddDelivery = async (delivery) => {
    if (defersFailing && (await endpoints.isFailing(delivery.owner))) return void (await insert(delivery, 0))
    const place = queue.reserve(delivery)
    const { applied, row } = await insert(delivery, place === undefined ? 0 : LEASE_MS).catch((thrown) => {
      place?.leave()
      throw thrown
    })
    if (row?.dueAt === undefined) return place?.leave()
    const { id, owner, url, dueAt } = row
    if (applied && place !== undefined) return place.start({ id, owner, url, dueAt, leased: row })
    place?.leave()
    // A repeat starts the first attempt too: the process that added the delivery may have died before it.
    if (dueAt > iso(clock.now())) return
    if (!queue.offer({ id, owner, url, dueAt })) hasUnread = true
  }

  return {
    add,
    sendDue,
    /** Inserts a delivery that the caller sends; undefined for a repeat. */
    insert: async (delivery: NewDelivery): Promise<DeliveryRow | undefined> => {
      const { applied, row } = await insert(delivery, LEASE_MS)
      return applied ? row : undefined
    },
    /** Sends a delivery that the caller has leased, outside of the queue, also to a paused endpoint; resolves after the send. */
    sendNow: ({ id, owner, url, dueAt = '', ...row }: DeliveryRow): Promise<void> =>
      send({ id, owner, url, dueAt, leased: { id, owner, url, dueAt, ...row }, evenPaused: true }),
    /** Resolves when nothing is sent or due. With `startsForMs`, later starts are left to the next tick. */
    settled: async (startsForMs = Number.POSITIVE_INFINITY): Promise<void> => {
      startsUntil = clock.monotonic() + startsForMs
      for (;;) {
        if (hasUnread && isOpen())
          await sendDue().catch((thrown) => {
            hasUnread = false
            log.warn({ reason: errorMessage(thrown) }, 'due deliveries were not read')
          })
        if (queue.isIdle() && !(hasUnread && isOpen())) break
        const { promise: later, resolve } = Promise.withResolvers<void>()
        const cancel = clock.after(READ_AGAIN_MS, resolve)
        await Promise.race([queue.idle(), later])
        cancel()
      }
      queue.drop()
      startsUntil = Number.POSITIVE_INFINITY
    },
    /** Starts nothing more; running sends may end. */
    stop: (): void => {
      stopped = true
    },
  }
}
