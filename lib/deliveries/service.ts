import { messageOf } from '../core/errors.ts'
import { pagesOf } from '../core/pages.ts'
import { iso } from '../core/time.ts'
import { type DeliveryRow, deliveryRows } from './rows.ts'
import type { AddDelivery } from './schema.ts'
import { createHostSemaphore } from './semaphore.ts'
import { createSend } from './send.ts'

const PAGE = 100
/** Deliveries to hosts without a free permit are passed over, up to this number. */
const MOST_PASSED = 2_000
const LIMITS = { perHost: 16, total: 256 }

/** What one send takes at most: to look the host up, to be answered, and to store the attempt. */
export const LONGEST_SEND_MS = 20_000

export type Deliveries = ReturnType<typeof createDeliveries>

/**
 * Events on their way to URLs, delivered at least once: a delivery is sent as soon as it is added, and again by the retry
 * schedule until the receiver answers 2xx or 410 (gone), or the schedule ends. The stored row is the truth: a delivery
 * whose process died is sent by the repeat of its notice or by the next tick.
 */
export const createDeliveries = (needs: Parameters<typeof createSend>[0]) => {
  const { store, clock, log } = needs
  const send = createSend(needs)
  const semaphore = createHostSemaphore(LIMITS)
  const sending = new Set<Promise<unknown>>()
  let isPostponed = false
  let stopped = false
  let startsUntil = Number.POSITIVE_INFINITY

  const track = (work: Promise<unknown>) => {
    sending.add(work)
    void work.finally(() => sending.delete(work))
  }

  /** Starts to send a delivery that is due, if there is a permit for its host. */
  const start = (row: Pick<DeliveryRow, 'id' | 'url' | 'dueAt'>): void => {
    const release = stopped ? undefined : semaphore.acquire(new URL(row.url).host)
    if (release === undefined) {
      isPostponed = true
      return
    }
    const sent = send(row)
      .catch((thrown) =>
        log.warn({ deliveryId: row.id, reason: messageOf(thrown) }, 'a delivery was not sent'),
      )
      .finally(release)
    track(sent.then(startPostponed))
  }

  /** Deliveries that found no permit are read again as soon as one is free. */
  const startPostponed = async (): Promise<void> => {
    if (!isPostponed || stopped || clock.monotonic() >= startsUntil) return
    isPostponed = false
    await sendDue().catch((thrown) => log.warn({ reason: messageOf(thrown) }, 'due deliveries were not read'))
  }

  /** Starts to send what is due; resolves when all of it was read, not when it was sent. */
  const sendDue = async (): Promise<void> => {
    const where = [{ field: 'dueAt' as const, to: iso(clock.now()) }]
    const due = { index: 'due', order: 'asc', where, limit: PAGE } as const
    let passed = 0
    for await (const rows of pagesOf((from) => store.page(deliveryRows, { ...due, ...from }))) {
      for (const row of rows) start(row)
      passed += rows.length
      if (passed >= MOST_PASSED || semaphore.isFull() || stopped) return
    }
  }

  const add: AddDelivery = async (delivery) => {
    const at = iso(clock.now())
    const { row } = await store.commit<DeliveryRow>({
      insert: deliveryRows,
      row: { ...delivery, status: 'pending', dueAt: at, attempts: [], createdAt: at },
    })
    // A repeat starts the first attempt too: the process that added the delivery may have died before it.
    if (row?.dueAt !== undefined && row.dueAt <= at) start(row)
  }

  return {
    add,
    sendDue,
    /**
     * Resolves when nothing is being sent any more. With `startsForMs`, postponed deliveries are started only during that
     * time and left to the next tick after it; a send takes up to LONGEST_SEND_MS.
     */
    settled: async (startsForMs = Number.POSITIVE_INFINITY): Promise<void> => {
      startsUntil = clock.monotonic() + startsForMs
      await startPostponed()
      while (sending.size > 0) await Promise.allSettled(sending)
    },
    /** Starts nothing more; what is being sent may end. */
    stop: (): void => {
      stopped = true
    },
  }
}
