import { messageOf } from '../core/errors.ts'
import { pagesOf } from '../core/pages.ts'
import { iso } from '../core/time.ts'
import { createLanes } from './lanes.ts'
import { type DeliveryRow, deliveryRows } from './rows.ts'
import type { AddDelivery } from './schema.ts'
import { createSend } from './send.ts'

type Needs = Parameters<typeof createSend>[0] & {
  /** Whether what is added is sent by this process; one that may be frozen at any moment leaves it to the next look. */
  sendsAtOnce: boolean
}

const PAGE = 100
/** Deliveries to hosts that are busy are passed over, but not without end. */
const MOST_PASSED = 2_000
const WIDTH = { perHost: 16, all: 256 }

/** What one send takes at most: to look the host up, to be answered, and to store what came of it. */
export const LONGEST_SEND_MS = 20_000

export type Deliveries = ReturnType<typeof createDeliveries>

/**
 * Events on their way to URLs, at least once: what was added is sent at once, and again by the schedule until the
 * receiver answers 2xx, says that it is gone (410), or the schedule is at its end. What is stored is the truth; a
 * process that dies over a send leaves it to whoever looks next.
 */
export const createDeliveries = (needs: Needs) => {
  const { store, clock, log } = needs
  const send = createSend(needs)
  const lanes = createLanes(WIDTH)
  const underWay = new Set<Promise<unknown>>()
  let isCrowded = false
  let stopped = false
  let goesOnUntil = Number.POSITIVE_INFINITY

  const track = (work: Promise<unknown>) => {
    underWay.add(work)
    void work.finally(() => underWay.delete(work))
  }

  /** Begins to send one that is due, if there is room towards its host. */
  const begin = (row: Pick<DeliveryRow, 'id' | 'url' | 'dueAt'>): void => {
    const leave = stopped ? undefined : lanes.enter(new URL(row.url).host)
    if (leave === undefined) {
      isCrowded = true
      return
    }
    const sent = send(row)
      .catch((thrown) =>
        log.warn({ deliveryId: row.id, reason: messageOf(thrown) }, 'a delivery was not sent'),
      )
      .finally(leave)
    track(sent.then(goOn))
  }

  /** Whoever found no room is looked for as soon as there is some. */
  const goOn = async (): Promise<void> => {
    if (!isCrowded || stopped || clock.monotonic() >= goesOnUntil) return
    isCrowded = false
    await sendDue().catch((thrown) => log.warn({ reason: messageOf(thrown) }, 'due deliveries were not read'))
  }

  /** Begins to send what is due; resolves when it has looked, not when it has sent. */
  const sendDue = async (): Promise<void> => {
    const where = [{ field: 'dueAt' as const, to: iso(clock.now()) }]
    const due = { index: 'due', order: 'asc', where, limit: PAGE } as const
    let passed = 0
    for await (const rows of pagesOf((from) => store.page(deliveryRows, { ...due, ...from }))) {
      for (const row of rows) begin(row)
      passed += rows.length
      if (passed >= MOST_PASSED || lanes.isFull() || stopped) return
    }
  }

  const add: AddDelivery = async (delivery) => {
    const at = iso(clock.now())
    const row: DeliveryRow = { ...delivery, status: 'pending', dueAt: at, attempts: [], createdAt: at }
    const { applied } = await store.commit<DeliveryRow>({ insert: deliveryRows, row })
    if (applied && needs.sendsAtOnce) begin(row)
  }

  return {
    add,
    sendDue,
    /**
     * Resolves when nothing is being sent any more. Where that must have an end, those who found no room are looked for
     * during `goingOnMs`, and left to the next look after that; a send takes up to LONGEST_SEND_MS.
     */
    settled: async (goingOnMs = Number.POSITIVE_INFINITY): Promise<void> => {
      goesOnUntil = clock.monotonic() + goingOnMs
      await goOn()
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
    /** Begins nothing more; what is being sent may end. */
    stop: (): void => {
      stopped = true
    },
  }
}
