import { pagesOf } from '../core/pages.ts'
import type { Actor } from '../core/principal.ts'
import type { Store } from '../ports/store.ts'
import { type PairingRow, pairings } from './rows.ts'

const PAGE = 200

type Needs = {
  store: Store
  audit: (actor: Actor, action: string, details: object) => Promise<void>
}

/** How devices whose sessions end are forgotten. */
export const createUnpairing = ({ store, audit }: Needs) => {
  /**
   * Forgets one. It was logged out with its own token, or `by` a user who ends its user's sessions. One that is gone is fine.
   */
  const unpair = async (id: string, by?: Actor): Promise<void> => {
    const when = { status: 'approved' }
    const { applied, row } = await store.commit<PairingRow>({ remove: pairings, key: id, when })
    if (!applied || row?.approvedBy === undefined) return
    const { requesterId, approvedBy } = row
    await audit(by ?? { userId: approvedBy }, 'device.end', { id, requesterId, approvedBy })
  }

  /**
   * Forgets all of a user but the one with the session `except`: those, too, that were approved and have no session yet,
   * since they have not asked for their token.
   */
  const unpairAll = async (userId: string, { by, except }: { by: Actor; except?: string }): Promise<void> => {
    const selection = { index: 'ofUser', is: userId, order: 'asc', limit: PAGE } as const
    for await (const rows of pagesOf((from) => store.page(pairings, { ...selection, ...from }))) {
      const ending = rows.filter(({ sessionId }) => except === undefined || sessionId !== except)
      await Promise.all(ending.map(({ id }) => unpair(id, by)))
    }
  }

  return { unpair, unpairAll }
}
