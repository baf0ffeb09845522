import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Position, Store, Tally, Totals } from '../ports/store.ts'
import type { Counts, Extremes } from './reconcile-drift.ts'
import { type TaskRow, tasks } from './rows.ts'
import { DAILY_TOTALS, TASK_TOTALS, tallyOfEnded, tallyOfNew } from './tally.ts'

type Needs = { store: Store; clock: Pick<Clock, 'now'>; rowsAtOnce: number }

/**
 * What the totals were when a walk began, and what the rows say that they should have been: without the states, where
 * tasks changed theirs since. `steps` is how many calls it took, `recent` the tasks that changed last.
 */
export type Walked = {
  kept: Counts
  counts: Counts
  extremes: Extremes
  rows: number
  steps: number
  recent: readonly string[]
}
/** Goes on by so many rows; resolves to undefined until it has seen them all. */
export type Walk = () => Promise<Walked | undefined>

const PAGE = 1_000
/** Of those that changed last, so many are looked at for what is untold. */
const MOST_RECENT = 500

/**
 * Begins to count every task, in steps that may lie minutes apart, while others change and come: what is counted is how
 * things were at the beginning. The walk goes from the newest task to the oldest, so none that is created later is on
 * its way; a completion never changes again and has its time; only of the state that a changed task had nothing is left.
 */
export const beginWalk = async ({ store, clock, rowsAtOnce }: Needs, totals: Totals): Promise<Walk> => {
  const since = iso(clock.now())
  const kept: Counts = { ...(await store.tallies(DAILY_TOTALS)), [TASK_TOTALS.member]: totals }
  const counts = createCounts()
  let recent: Pick<TaskRow, 'id' | 'updatedAt'>[] = []
  let after: Position | undefined
  let [rows, steps, isMoved] = [0, 0, false]

  /** What lies in the future was imported so. */
  const isLater = (time = '') => steps > 0 && time > since && time <= iso(clock.now())

  const count = (row: TaskRow) => {
    counts.add(tallyOfNew(row))
    // A failure stays counted when its task is queued again, so rows cannot say how many there were.
    if (row.status === 'completed' && !isLater(row.completedAt)) counts.add(tallyOfEnded(row))
    if (isLater(row.updatedAt)) isMoved = true
  }

  const page = async () => {
    const place = after ? { after } : {}
    const limit = Math.min(PAGE, rowsAtOnce)
    const found = await store.page(tasks, { index: 'newest', order: 'desc', limit, ...place })
    found.rows.forEach(count)
    const seen = found.rows.map(({ id, updatedAt }) => ({ id, updatedAt }))
    recent = [...recent, ...seen].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).slice(0, MOST_RECENT)
    rows += found.rows.length
    after = found.next
  }

  return async () => {
    const until = rows + rowsAtOnce
    do await page()
    while (after !== undefined && rows < until)
    steps += 1
    if (after !== undefined) return undefined
    const { counts: found, extremes } = counts.read()
    const shown = isMoved ? withoutStates : (all: Counts) => all
    return {
      ...{ kept: shown(kept), counts: shown(found), extremes, rows, steps },
      recent: recent.map(({ id }) => id),
    }
  }
}

const withoutStates = ({ [TASK_TOTALS.member]: all = {}, ...days }: Counts): Counts => ({
  ...days,
  [TASK_TOTALS.member]: Object.fromEntries(
    Object.entries(all).filter(([name]) => !name.startsWith('status:')),
  ),
})

const createCounts = () => {
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
  return {
    add: (tallies: readonly Tally[]) => tallies.forEach(addOne),
    read: (): { counts: Counts; extremes: Extremes } => ({ counts, extremes: { least, most } }),
  }
}
