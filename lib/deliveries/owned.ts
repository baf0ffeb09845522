import { fitting } from '../core/answer-size.ts'
import { missing } from '../core/errors.ts'
import { type PageQuery, rangeOf } from '../core/page.ts'
import { pagesOf } from '../core/pages.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Page, Store, Update } from '../ports/store.ts'
import { deliveryRows } from './rows.ts'
import type { DeliveryRow } from './schema.ts'

type Needs = { store: Store; clock: Clock }

/** Which deliveries are made due again: those that wait for their endpoint, and those that failed since `failedSince`. */
type Wake = { owner: string; from: string | undefined; failedSince: string | undefined; most: number }

const PAGE = 100

export type OwnedDeliveries = ReturnType<typeof createOwnedDeliveries>

/** The deliveries of one owner: their log, and making them due again. */
export const createOwnedDeliveries = ({ store, clock }: Needs) => {
  const dueAgain = ({ id, status, dueAt }: DeliveryRow): Update<DeliveryRow> => ({
    update: deliveryRows,
    key: id,
    when: { status, dueAt: dueAt ?? null },
    set: { status: 'pending', dueAt: iso(clock.now()), tries: 0 },
    unset: ['expiresAt'],
  })

  const isToWake = ({ status, dueAt, createdAt }: DeliveryRow, failedSince: string | undefined): boolean =>
    status === 'pending'
      ? dueAt === undefined
      : status === 'failed' && failedSince !== undefined && createdAt >= failedSince

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

    /** How many failed since then. */
    countFailed: (owner: string, since: string): Promise<number> =>
      store.count(deliveryRows, {
        ...{ index: 'ofOwner', is: owner },
        where: [
          { field: 'createdAt', from: since },
          { field: 'status', in: ['failed'] },
        ],
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

    /**
     * Makes deliveries due again, the oldest first. Resolves to the creation time to go on from; undefined when all
     * were looked at.
     */
    wake: async ({ owner, from, failedSince, most }: Wake): Promise<string | undefined> => {
      const where = from === undefined ? [] : [{ field: 'createdAt' as const, from }]
      const selection = { index: 'ofOwner', is: owner, order: 'asc', where, limit: PAGE } as const
      let seen = 0
      for await (const rows of pagesOf((at) => store.page(deliveryRows, { ...selection, ...at }))) {
        const woken = rows.filter((row) => isToWake(row, failedSince))
        await Promise.all(woken.map((row) => store.commit<DeliveryRow>(dueAgain(row))))
        seen += rows.length
        if (seen >= most && rows.length === PAGE) return rows.at(-1)?.createdAt
      }
      return undefined
    },
  }
}
