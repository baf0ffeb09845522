import { messageOf } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import { type PairingRow, pairings } from './rows.ts'

/** When a device was seen is kept to the hour: a write per request would be dear. */
const SEEN_EVERY_MS = 3_600_000

/** Whether a device may still use its token; asked, it counts as seen. */
export const createIsPaired = ({ store, clock, log }: { store: Store; clock: Clock; log: Log }) => {
  const noteSeen = async ({ id, lastSeenAt, expiresAt }: PairingRow) => {
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
    await noteSeen(row).catch((thrown) =>
      log.warn({ reason: messageOf(thrown) }, 'device could not be noted as seen'),
    )
    return true
  }
}
