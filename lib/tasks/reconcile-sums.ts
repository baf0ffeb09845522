import { dayOf, iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store, Totals } from '../ports/store.ts'
import { DAILY_TOTALS } from './tally.ts'

type Needs = { store: Pick<Store, 'tallies'>; clock: Pick<Clock, 'now'> }
type Sums = { created: number; completed: number }

/** Days that still change: today, and yesterday for who counts late. What is older is summed once. */
const RECENT_MS = 2 * 86_400_000

/**
 * Compares the totals with the sums of the days. Both follow from the same changes but are two writes, so a death between
 * them shows here, whatever the number of tasks. The days of the past are read once.
 */
export const createSumCheck = ({ store, clock }: Needs) => {
  let past: Sums & { before: string } = { before: '', created: 0, completed: 0 }

  /** Whether they contradict each other. */
  return async (totals: Totals): Promise<boolean> => {
    const days = Object.entries(await store.tallies(DAILY_TOTALS, past.before))
    const recent = dayOf(iso(clock.now() - RECENT_MS))
    const all = sumOf(past, days)
    const differs = all.created !== (totals.total ?? 0) || all.completed !== (totals.durationCount ?? 0)
    // A day of the past may have been written after all, by an import or a correction: then all are read again.
    past = differs
      ? { before: '', created: 0, completed: 0 }
      : {
          before: recent > past.before ? recent : past.before,
          ...sumOf(
            past,
            days.filter(([day]) => day < recent),
          ),
        }
    return differs
  }
}

const sumOf = (start: Sums, days: readonly (readonly [string, Totals])[]): Sums => ({
  created: days.reduce((sum, [, { created = 0 }]) => sum + created, start.created),
  completed: days.reduce((sum, [, { completed = 0 }]) => sum + completed, start.completed),
})
