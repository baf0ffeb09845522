import type * as z from 'zod'
import { missing } from '../core/errors.ts'
import { type PageQuery, pageFacts, rangeOf } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import { type PairingRow, pairings } from './rows.ts'
import type { PairedDeviceSchema } from './schema.ts'

type Needs = { store: Store; log: Log; closeSession: (sessionId: string) => Promise<unknown> }

/** Devices that were approved, from their user's side; admins see and revoke those of all. */
export const createPaired = ({ store, log, closeSession }: Needs) => {
  const list = async ({ userId, role }: Principal, query: PageQuery) => {
    const of = role === 'admin' ? { index: 'byStatus', is: 'approved' } : { index: 'ofUser', is: userId }
    const scope = `paired:${of.index}:${of.is}`
    const [page, total] = await Promise.all([
      store.page(pairings, {
        ...of,
        order: 'desc',
        ...rangeOf(query, scope),
      }),
      store.count(pairings, of),
    ])
    return {
      devices: page.rows.map(shown),
      ...pageFacts(page, total, query, scope),
    }
  }

  /** Ends a device's token, at once and for good. Throws Problem `missing` for one that is not the caller's to revoke. */
  const revoke = async ({ userId, role }: Principal, id: string): Promise<PairingRow> => {
    const { applied, row } = await store.commit<PairingRow>({
      remove: pairings,
      key: id,
      when: { status: 'approved', ...(role === 'admin' ? {} : { approvedBy: userId }) },
    })
    if (!applied || row === undefined) throw missing('Device')
    // The session opens nothing any more; that it is gone as well is tidiness.
    if (row.sessionId !== undefined)
      await closeSession(row.sessionId).catch((err) => log.warn({ err }, 'session of a device is left'))
    return row
  }

  return { list, revoke }
}

const shown = (row: PairingRow): z.input<typeof PairedDeviceSchema> => ({
  id: row.id,
  requesterId: row.requesterId,
  ...(row.meta === undefined ? {} : { meta: row.meta }),
  // Approved rows have both.
  pairedAt: row.approvedAt ?? row.createdAt,
  approvedBy: row.approvedBy ?? '',
  ...(row.lastSeenAt === undefined ? {} : { lastSeenAt: row.lastSeenAt }),
  expiresAt: iso(row.keptUntil),
})
