import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Position, Store, Totals } from '../ports/store.ts'
import { deadLetters } from './rows.ts'
import type { DlqCounts, DlqItem } from './schema.ts'

type Needs = { store: Store; clock: Pick<Clock, 'now'>; rowsAtOnce: number }

/** What the totals were when a count began, and what the dead letters say that they should have been. */
export type Counted = { kept: Totals; counts: DlqCounts; steps: number }
/** Goes on by so many dead letters; resolves to undefined until it has seen them all. */
export type Count = () => Promise<Counted | undefined>

const PAGE = 1_000

/**
 * Begins to count all dead letters, in steps that may lie minutes apart, while others come and are closed: what is counted
 * is how things were at the beginning. It goes from the newest to the oldest, so none that comes later is on its way, and
 * one that was closed since was pending.
 */
export const beginCount = ({ store, clock, rowsAtOnce }: Needs, kept: Totals): Count => {
  const since = iso(clock.now())
  const counts: DlqCounts = { pending: 0, resolved: 0, discarded: 0, total: 0 }
  let after: Position | undefined
  let [rows, steps] = [0, 0]

  const add = ({ status, resolvedAt = '' }: DlqItem) => {
    counts[steps > 0 && resolvedAt > since ? 'pending' : status] += 1
    counts.total += 1
  }

  const page = async () => {
    const place = after ? { after } : {}
    const limit = Math.min(PAGE, rowsAtOnce)
    const found = await store.page(deadLetters, { index: 'newest', order: 'desc', limit, ...place })
    found.rows.forEach(add)
    rows += found.rows.length
    after = found.next
  }

  return async () => {
    const until = rows + rowsAtOnce
    do await page()
    while (after !== undefined && rows < until)
    steps += 1
    return after === undefined ? { kept, counts, steps } : undefined
  }
}
