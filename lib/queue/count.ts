import { driftOf } from '../core/drift.ts'
import { createWalk } from '../core/walk.ts'
import type { Clock } from '../ports/clock.ts'
import type { Position, Store, Totals } from '../ports/store.ts'
import { deadLetters, LETTER_TOTALS } from './rows.ts'
import type { DlqCounts, DlqItem } from './schema.ts'

type Needs = { store: Store; clock: Pick<Clock, 'now'>; rowsAtOnce: number }

/** Dead letters tell of all totals but how often these were corrected. */
const UNTOLD = /^corrections$/
const { member: ALL } = LETTER_TOTALS

/**
 * Begins to count all dead letters, in steps that may lie minutes apart, while others come and are closed: what is counted
 * is how things were at the beginning. It goes from the newest to the oldest, so none that comes later is on its way, and
 * one that was closed since was pending.
 */
export const beginCount = ({ store, clock, rowsAtOnce }: Needs, kept: Totals) => {
  const counts: DlqCounts = { pending: 0, resolved: 0, discarded: 0, total: 0 }

  const walk = createWalk<DlqItem, Position>({
    ...{ clock, rowsAtOnce },
    read: (from) => store.page(deadLetters, { index: 'newest', order: 'desc', ...from }),
    visit: (rows, isLater) => {
      for (const { status, resolvedAt } of rows) counts[isLater(resolvedAt) ? 'pending' : status] += 1
      counts.total += rows.length
    },
  })

  return async () => {
    const walked = await walk()
    return walked && { ...walked, drift: driftOf({ [ALL]: kept }, { [ALL]: counts }, true, UNTOLD) }
  }
}
