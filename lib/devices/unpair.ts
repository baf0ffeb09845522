import type { Principal } from '../core/principal.ts'
import type { Store } from '../ports/store.ts'
import { type PairingRow, pairings } from './rows.ts'

type Needs = {
  store: Store
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}

/** Forgets a paired device whose session ends: it logged out, or its user may not come in. One that is gone is fine. */
export const createUnpair =
  ({ store, audit }: Needs) =>
  async (id: string): Promise<void> => {
    const when = { status: 'approved' }
    const { applied, row } = await store.commit<PairingRow>({ remove: pairings, key: id, when })
    if (!applied || row?.approvedBy === undefined) return
    const { requesterId, approvedBy } = row
    await audit({ userId: approvedBy, role: 'user' }, 'device.end', { id, requesterId })
  }
