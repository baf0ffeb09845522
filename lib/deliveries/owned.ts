import { fitting } from '../core/answer-size.ts'
import { missing } from '../core/errors.ts'
import { type PageRange, rowPages } from '../core/page.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Page, Query, Store, Update } from '../ports/store.ts'
import { deliveryRows, FAILED, HELD, stoppedRange } from './rows.ts'
import type { DeliveryRow } from './schema.ts'
import { LEASE_MS } from './send.ts'

const PAGE = 100
/** A row may have 2 MB: the rows of a page are read a few at a time, until the answer is full. */
const READ_AT_ONCE = 20

/** The deliveries of one owner: their list, their repetition, and their removal. */
export const createOwnedDeliveries = ({ store, clock }: { store: Store; clock: Clock }) => {
  const dueAgain = ({ id, status, dueAt }: DeliveryRow, inMs = 0): Update<DeliveryRow> => ({
    update: deliveryRows,
    key: id,
    when: { status, dueAt: dueAt ?? null },
    set: { status: 'pending', dueAt: iso(clock.now() + inMs), tries: 0 },
    unset: ['stopped', 'expiresAt'],
  })

  const ofStatus = (owner: string, status: DeliveryRow['status'] | undefined) =>
    ({
      index: 'ofOwner',
      is: owner,
      ...(status && { where: [{ field: 'status' as const, in: [status] }] }),
    }) as const

  const pages = (selection: Pick<Query<DeliveryRow>, 'index' | 'is' | 'where'>) =>
    rowPages((from) => store.page(deliveryRows, { ...selection, order: 'asc', limit: PAGE, ...from }))

  return {
    /** Newest first, in full, as many as fit an answer; of one status, or of all. */
    page: async (
      owner: string,
      { limit: most, ...start }: PageRange,
      status?: DeliveryRow['status'],
    ): Promise<Page<DeliveryRow>> => {
      const selection = { ...ofStatus(owner, status), order: 'desc', detail: true } as const
      const collected: DeliveryRow[] = []
      let range: Omit<PageRange, 'limit'> = start
      for (;;) {
        const limit = Math.min(READ_AT_ONCE, most - collected.length)
        const { rows: more, next } = await store.page(deliveryRows, { ...selection, ...range, limit })
        collected.push(...more)
        const rows = fitting(collected)
        const last = rows.at(-1)
        if (last !== undefined && rows.length < collected.length)
          return { rows, next: { by: last.createdAt, key: last.id } }
        if (next === undefined || rows.length >= most) return { rows, next }
        range = { after: next }
      }
    },

    count: (owner: string, status?: DeliveryRow['status']): Promise<number> =>
      store.count(deliveryRows, ofStatus(owner, status)),

    /** The delivery to try a paused endpoint with: the oldest that waits for it, else the latest that failed. */
    firstStopped: async (owner: string): Promise<DeliveryRow | undefined> => {
      const stopped = async (range: ReturnType<typeof stoppedRange>, order: 'asc' | 'desc') => {
        const query = { index: 'stopped', is: owner, where: [range], order, limit: 1, detail: true } as const
        return (await store.page(deliveryRows, query)).rows[0]
      }
      return (await stopped(stoppedRange(HELD), 'asc')) ?? stopped(stoppedRange(FAILED), 'desc')
    },

    /** The number of deliveries that failed since a time. */
    countFailed: (owner: string, from: string): Promise<number> =>
      store.count(deliveryRows, { index: 'stopped', is: owner, where: [stoppedRange(FAILED, { from })] }),

    /** Throws Problem `missing` for a delivery of another owner. */
    get: async (owner: string, id: string): Promise<DeliveryRow> => {
      const row = await store.get(deliveryRows, id, true)
      if (row?.owner !== owner) throw missing('Delivery')
      return row
    },

    /** Claims a delivery, in any state, to send it again with all its retries; undefined when another process won. */
    take: async (row: DeliveryRow): Promise<DeliveryRow | undefined> => {
      const { applied, row: taken } = await store.commit<DeliveryRow>(dueAgain(row, LEASE_MS), [], true)
      return applied ? taken : undefined
    },

    /** Makes held deliveries due, then those that failed in the period, oldest first; yields after each page. */
    resume: async function* (owner: string, failed: { from: string; to: string } | undefined) {
      const ranges = [stoppedRange(HELD), ...(failed === undefined ? [] : [stoppedRange(FAILED, failed)])]
      for (const range of ranges)
        for await (const rows of pages({ index: 'stopped', is: owner, where: [range] })) {
          await Promise.all(rows.map((row) => store.commit<DeliveryRow>(dueAgain(row))))
          yield
        }
    },

    removeAll: async function* (owner: string) {
      for await (const rows of pages({ index: 'ofOwner', is: owner })) {
        await Promise.all(rows.map(({ id }) => store.commit<DeliveryRow>({ remove: deliveryRows, key: id })))
        yield
      }
    },
  }
}
