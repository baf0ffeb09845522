import type { Counts } from '../core/drift.ts'
import { createWalk, type Walked } from '../core/walk.ts'
import type { Clock } from '../ports/clock.ts'
import type { Position, Store, Tally, Totals } from '../ports/store.ts'
import { driftOf, type Extremes } from './reconcile-drift.ts'
import type { TaskFinding } from './reconcile-judge.ts'
import { type TaskRow, tasks } from './rows.ts'
import { DAILY_TOTALS, TASK_TOTALS, tallyOfEnded, tallyOfNew } from './tally.ts'

type Needs = { store: Store; clock: Pick<Clock, 'now'>; rowsAtOnce: number }

/**
 * What the totals were when a walk began, and what the rows say that they should have been: without the states, where
 * tasks changed theirs since.
 */
type WalkedTasks = Walked & TaskFinding & { kept: Counts; counts: Counts }

/** Of those that changed last, so many are looked at for what is untold. */
const MOST_RECENT = 500

/**
 * Begins to count every task, in steps that may lie minutes apart, while others change and come: what is counted is how
 * things were at the beginning. The walk goes from the newest task to the oldest, so none that is created later is on
 * its way; a completion never changes again and has its time; only of the state that a changed task had nothing is left.
 */
export const beginWalk = async ({ store, clock, rowsAtOnce }: Needs, totals: Totals) => {
  const sums = createSums()
  let recent: Pick<TaskRow, 'id' | 'updatedAt'>[] = []
  let isMoved = false

  const walk = createWalk<TaskRow, Position>({
    ...{ clock, rowsAtOnce },
    read: (from) => store.page(tasks, { index: 'newest', order: 'desc', ...from }),
    visit: (rows, isLater) => {
      for (const row of rows) {
        sums.add(tallyOfNew(row))
        // A failure stays counted when its task is queued again, so rows cannot say how many there were.
        if (row.status === 'completed' && !isLater(row.completedAt)) sums.add(tallyOfEnded(row))
        if (isLater(row.updatedAt)) isMoved = true
      }
      const seen = rows.map(({ id, updatedAt }) => ({ id, updatedAt }))
      recent = [...recent, ...seen].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).slice(0, MOST_RECENT)
    },
  })
  const keptAll = { ...(await store.tallies(DAILY_TOTALS)), [TASK_TOTALS.member]: totals }

  return async (): Promise<WalkedTasks | undefined> => {
    const walked = await walk()
    if (walked === undefined) return undefined
    const shown = isMoved ? withoutStates : (all: Counts) => all
    const [kept, counts] = [shown(keptAll), shown(sums.counts)]
    const drift = driftOf(kept, counts, true)
    return { ...walked, kept, counts, drift, extremes: sums.extremes, recent: recent.map(({ id }) => id) }
  }
}

const withoutStates = ({ [TASK_TOTALS.member]: all = {}, ...days }: Counts): Counts => ({
  ...days,
  [TASK_TOTALS.member]: Object.fromEntries(
    Object.entries(all).filter(([name]) => !name.startsWith('status:')),
  ),
})

const createSums = () => {
  const counts: Record<string, Record<string, number>> = {}
  const least: Record<string, number> = {}
  const most: Record<string, number> = {}
  const addOne = (tally: Tally) => {
    counts[tally.member] ??= {}
    const sums = counts[tally.member] ?? {}
    for (const [name, n] of Object.entries(tally.add ?? {})) sums[name] = (sums[name] ?? 0) + n
    for (const [name, n] of Object.entries(tally.least ?? {})) least[name] = Math.min(least[name] ?? n, n)
    for (const [name, n] of Object.entries(tally.most ?? {})) most[name] = Math.max(most[name] ?? n, n)
  }
  const extremes: Extremes = { least, most }
  return { counts, extremes, add: (tallies: readonly Tally[]) => tallies.forEach(addOne) }
}
