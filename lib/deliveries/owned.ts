import { fitting } from '../core/answer-size.ts'
import { missing } from '../core/errors.ts'
import { type PageQuery, rangeOf } from '../core/page.ts'
import { pagesOf } from '../core/pages.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Page, Store, Update } from '../ports/store.ts'
import { deliveryRows, FAILED, HELD, stoppedRange } from './rows.ts'
import type { DeliveryRow } from './schema.ts'

type Needs = { store: Store; clock: Clock }

/** ISO times, inclusive. */
type Period = { from: string; to: string }

const PAGE = 100

/** The deliveries of one owner: their log, making them due again, and their removal. */
export const createOwnedDeliveries = ({ store, clock }: Needs) => {
  const dueAgain = ({ id, status, dueAt }: DeliveryRow): Update<DeliveryRow> => ({
    update: deliveryRows,
    key: id,
    when: { status, dueAt: dueAt ?? null },
    set: { status: 'pending', dueAt: iso(clock.now()), tries: 0 },
    unset: ['stopped', 'expiresAt'],
  })

  async function* eachPage(selection: {
    index: string
    is: string
    where?: [ReturnType<typeof stoppedRange>]
  }) {
    const query = { ...selection, order: 'asc', limit: PAGE } as const
    for await (const rows of pagesOf((from) => store.page(deliveryRows, { ...query, ...from })))
      if (rows.length > 0) yield rows
  }

  return {
    /** Newest first, whole, as many as fit an answer. */
    page: async (owner: string, query: PageQuery, scope: string): Promise<Page<DeliveryRow>> => {
      const page = await store.page(deliveryRows, {
        ...{ index: 'ofOwner', is: owner, order: 'desc', detail: true },
        ...rangeOf(query, scope),
      })
      const rows = fitting(page.rows)
      const last = rows.at(-1)
      return last === undefined || rows.length === page.rows.length
        ? page
        : { rows, next: { by: last.createdAt, key: last.id } }
    },

    count: (owner: string): Promise<number> => store.count(deliveryRows, { index: 'ofOwner', is: owner }),

    /** How many failed since then. */
    countFailed: (owner: string, since: string): Promise<number> =>
      store.count(deliveryRows, {
        ...{ index: 'stopped', is: owner },
        where: [stoppedRange(FAILED, { from: since })],
      }),

    /** Throws Problem `missing` for one that is not the owner's. */
    get: async (owner: string, id: string): Promise<DeliveryRow> => {
      const row = await store.get(deliveryRows, id, true)
      if (row?.owner !== owner) throw missing('Delivery')
      return row
    },

    /** Makes a delivery due now, failed or not, with all its retries. */
    makeDue: async (row: DeliveryRow): Promise<DeliveryRow | undefined> =>
      (await store.commit<DeliveryRow>(dueAgain(row), [], true)).row,

    /** Makes due those that are held, then those that failed in the period, the oldest first; yields after each page. */
    resume: async function* (owner: string, failed: Period | undefined) {
      const ranges = [stoppedRange(HELD), ...(failed === undefined ? [] : [stoppedRange(FAILED, failed)])]
      for (const range of ranges)
        for await (const rows of eachPage({ index: 'stopped', is: owner, where: [range] })) {
          await Promise.all(rows.map((row) => store.commit<DeliveryRow>(dueAgain(row))))
          yield
        }
    },

    /** Removes all of them; yields after each page. */
    removeAll: async function* (owner: string) {
      for await (const rows of eachPage({ index: 'ofOwner', is: owner })) {
        await Promise.all(rows.map(({ id }) => store.commit<DeliveryRow>({ remove: deliveryRows, key: id })))
        yield
      }
    },
  }
}
