import { fitting } from '../core/answer-size.ts'
import { missing } from '../core/errors.ts'
import { type PageQuery, pageRange, rowPages } from '../core/page.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Page, Store, Update } from '../ports/store.ts'
import { deliveryRows, FAILED, HELD, stoppedRange } from './rows.ts'
import type { DeliveryRow } from './schema.ts'
import { LEASE_MS } from './send.ts'

type Needs = { store: Store; clock: Clock }

/** ISO times, inclusive. */
type Period = { from: string; to: string }

const PAGE = 100
/** A row may have 2 MB: the rows of a page are read a few at a time, until the answer is full. */
const READ_AT_ONCE = 20

/** The deliveries of one owner: their list, their repetition, and their removal. */
export const createOwnedDeliveries = ({ store, clock }: Needs) => {
  const dueAgain = ({ id, status, dueAt }: DeliveryRow, inMs = 0): Update<DeliveryRow> => ({
    update: deliveryRows,
    key: id,
    when: { status, dueAt: dueAt ?? null },
    set: { status: 'pending', dueAt: iso(clock.now() + inMs), tries: 0 },
    unset: ['stopped', 'expiresAt'],
  })

  async function* eachPage(selection: {
    index: string
    is: string
    where?: [ReturnType<typeof stoppedRange>]
  }) {
    const query = { ...selection, order: 'asc', limit: PAGE } as const
    for await (const rows of rowPages((from) => store.page(deliveryRows, { ...query, ...from })))
      if (rows.length > 0) yield rows
  }

  return {
    /** Newest first, in full, as many as fit an answer. */
    page: async (owner: string, query: PageQuery, scope: string): Promise<Page<DeliveryRow>> => {
      const selection = { index: 'ofOwner', is: owner, order: 'desc', detail: true } as const
      const read: DeliveryRow[] = []
      let range: Omit<ReturnType<typeof pageRange>, 'limit'> = pageRange(query, scope)
      for (;;) {
        const limit = Math.min(READ_AT_ONCE, query.limit - read.length)
        const { rows: more, next } = await store.page(deliveryRows, { ...selection, ...range, limit })
        read.push(...more)
        const rows = fitting(read)
        const last = rows.at(-1)
        if (last !== undefined && rows.length < read.length)
          return { rows, next: { by: last.createdAt, key: last.id } }
        if (next === undefined || rows.length >= query.limit) return { rows, next }
        range = { after: next }
      }
    },

    count: (owner: string): Promise<number> => store.count(deliveryRows, { index: 'ofOwner', is: owner }),

    /** The number of deliveries that failed since a time. */
    countFailed: (owner: string, since: string): Promise<number> =>
      store.count(deliveryRows, {
        index: 'stopped',
        is: owner,
        where: [stoppedRange(FAILED, { from: since })],
      }),

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
    resume: async function* (owner: string, failed: Period | undefined) {
      const ranges = [stoppedRange(HELD), ...(failed === undefined ? [] : [stoppedRange(FAILED, failed)])]
      for (const range of ranges)
        for await (const rows of eachPage({ index: 'stopped', is: owner, where: [range] })) {
          await Promise.all(rows.map((row) => store.commit<DeliveryRow>(dueAgain(row))))
          yield
        }
    },

    /** Removes all deliveries; yields after each page. */
    removeAll: async function* (owner: string) {
      for await (const rows of eachPage({ index: 'ofOwner', is: owner })) {
        await Promise.all(rows.map(({ id }) => store.commit<DeliveryRow>({ remove: deliveryRows, key: id })))
        yield
      }
    },
  }
}
