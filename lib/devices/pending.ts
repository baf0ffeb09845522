import { pagesOf } from '../core/pages.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { OPEN_MS } from './requests.ts'
import { type PairingRow, pairings } from './rows.ts'

const MOST_SHOWN = 200
const PAGE = 200

type Needs = { store: Store; clock: Clock }

/** Requests without a decision. All live equally long, so those of before a moment are the expired ones. */
export const createPending = ({ store, clock }: Needs) => {
  const newestExpired = () => clock.now() - OPEN_MS

  /** The open ones, newest first, at most 200. */
  const list = async (): Promise<PairingRow[]> => {
    const { rows } = await store.page(pairings, {
      index: 'byStatus',
      is: 'pending',
      where: [{ field: 'createdAt', from: iso(newestExpired() + 1) }],
      order: 'desc',
      limit: MOST_SHOWN,
    })
    return rows
  }

  const removeExpired = async (status: PairingRow['status']): Promise<number> => {
    const query = {
      index: 'byStatus',
      is: status,
      where: [{ field: 'createdAt', to: iso(newestExpired()) }],
      order: 'asc',
      limit: PAGE,
    } as const
    let deleted = 0
    for await (const rows of pagesOf((from) => store.page(pairings, { ...query, ...from }))) {
      const outcomes = await Promise.all(
        rows.map(({ id }) => store.commit<PairingRow>({ remove: pairings, key: id, when: { status } })),
      )
      deleted += outcomes.filter(({ applied }) => applied).length
    }
    return deleted
  }

  /** Removes those that were not approved in time, the rejected ones among them; resolves to how many. */
  const cleanup = async (): Promise<number> =>
    (await removeExpired('pending')) + (await removeExpired('rejected'))

  return { list, cleanup }
}
