import type * as z from 'zod'
import { errorMessage, missing } from '../core/errors.ts'
import { countedPage, type PageQuery, rowPages } from '../core/page.ts'
import type { Actor, Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import { type PairingRow, pairings } from './rows.ts'
import type { PairedDeviceSchema } from './schema.ts'

type Needs = { store: Store; log: Log; closeSession: (sessionId: string) => Promise<unknown> }

/** The paired devices of a user; admins see and revoke those of all users. */
export const createPaired = ({ store, log, closeSession }: Needs) => {
  const list = async ({ userId, role }: Principal, query: PageQuery) => {
    const of = role === 'admin' ? { index: 'byStatus', is: 'approved' } : { index: 'ofUser', is: userId }
    const { rows, facts } = await countedPage(query, `paired:${of.index}:${of.is}`, {
      page: (range) => store.page(pairings, { ...of, order: 'desc', ...range }),
      count: () => store.count(pairings, of),
    })
    return { devices: rows.map(toPairedDevice), ...facts }
  }

  /** Revokes a device's token at once. Throws Problem `missing` for a device that the caller may not revoke. */
  const revoke = async ({ userId, role }: Principal, id: string): Promise<PairingRow> => {
    const { applied, row } = await store.commit<PairingRow>({
      remove: pairings,
      key: id,
      when: { status: 'approved', ...(role === 'admin' ? {} : { approvedBy: userId }) },
    })
    if (!applied || row === undefined) throw missing('Device')
    // The session is without effect already; its row is removed for tidiness.
    if (row.sessionId !== undefined)
      await closeSession(row.sessionId).catch((err) =>
        log.warn({ err }, 'the session of a revoked device was not closed'),
      )
    return row
  }

  return { list, revoke }
}

const toPairedDevice = (row: PairingRow): z.input<typeof PairedDeviceSchema> => ({
  id: row.id,
  requesterId: row.requesterId,
  meta: row.meta,
  // Approved rows have both.
  pairedAt: row.approvedAt ?? row.createdAt,
  approvedBy: row.approvedBy ?? '',
  lastSeenAt: row.lastSeenAt,
  expiresAt: iso(row.keptUntil),
})

/** The time of a device's last use is stored to the hour: a write for each request would be expensive. */
const SEEN_EVERY_MS = 3_600_000

/** Whether a device may still use its token; each call counts as a use. */
export const createIsPaired = ({ store, clock, log }: { store: Store; clock: Clock; log: Log }) => {
  const storeLastSeen = async ({ id, lastSeenAt, expiresAt }: PairingRow) => {
    const now = clock.now()
    if (lastSeenAt !== undefined && now - Date.parse(lastSeenAt) < SEEN_EVERY_MS) return
    const isTokenOver = now >= Date.parse(expiresAt)
    await store.commit<PairingRow>({
      update: pairings,
      key: id,
      when: { status: 'approved' },
      set: { lastSeenAt: iso(now) },
      ...(isTokenOver ? { unset: ['sealedToken'] } : {}),
    })
  }

  return async (id: string): Promise<boolean> => {
    const row = await store.get(pairings, id)
    if (row?.status !== 'approved') return false
    await storeLastSeen(row).catch((thrown) =>
      log.warn({ reason: errorMessage(thrown) }, 'the last use of a device was not stored'),
    )
    return true
  }
}

const PAGE = 200

type UnpairingNeeds = {
  store: Store
  audit: (actor: Actor, action: string, details: object) => Promise<void>
}

export const createUnpairing = ({ store, audit }: UnpairingNeeds) => {
  /** Removes one pairing: its device logged out, or user `by` ended the session. A missing one is no error. */
  const unpair = async (id: string, by?: Actor): Promise<void> => {
    const when = { status: 'approved' }
    const { applied, row } = await store.commit<PairingRow>({ remove: pairings, key: id, when })
    if (!applied || row?.approvedBy === undefined) return
    const { requesterId, approvedBy } = row
    await audit(by ?? { userId: approvedBy }, 'device.end', { id, requesterId, approvedBy })
  }

  /** Removes a user's pairings but that of the session `except`; also those without a token yet. */
  const unpairAll = async (
    userId: string,
    { by, except }: { by: Actor; except?: string | undefined },
  ): Promise<void> => {
    const selection = { index: 'ofUser', is: userId, order: 'asc', limit: PAGE } as const
    for await (const rows of rowPages((from) => store.page(pairings, { ...selection, ...from }))) {
      const ending = rows.filter(({ sessionId }) => except === undefined || sessionId !== except)
      await Promise.all(ending.map(({ id }) => unpair(id, by)))
    }
  }

  return { unpair, unpairAll }
}
