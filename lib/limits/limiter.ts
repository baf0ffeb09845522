import { Problem } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Store } from '../ports/store.ts'
import { type CallsRow, callsRows } from './rows.ts'

/** A window may end, and another process begin the next, between two writes; that it happens again is no accident. */
const TRIES = 5

/**
 * Counts in storage, so that all processes count together and a restart forgets nothing. One conditional write a call:
 * a row that has expired counts as absent, so adding to it fails and the next window begins with an insert.
 */
export const createLimiter = ({ store, clock }: { store: Store; clock: Clock }): Limiter => ({
  take: async ({ name, calls, windowMs }, key) => {
    const id = `${name}:${key}`
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const added = await store.commit<CallsRow>({ update: callsRows, key: id, add: { calls: 1 } })
      if (added.applied && added.row)
        return added.row.calls > calls ? Math.max(1, added.row.expiresAt - clock.now()) : 0
      const row: CallsRow = { id, calls: 1, expiresAt: clock.now() + windowMs }
      if ((await store.commit<CallsRow>({ insert: callsRows, row })).applied) return 0
    }
    throw new Problem('unavailable', 'limit_busy', 'Too much at once: try again')
  },
  giveBack: async ({ name }, key) => {
    await store.commit<CallsRow>({ update: callsRows, key: `${name}:${key}`, add: { calls: -1 } })
  },
})
