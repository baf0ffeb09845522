import { type Counts, driftOf as driftBetween } from '../core/drift.ts'
import type { Tally } from '../ports/store.ts'
import { DAILY_TOTALS, TASK_TOTALS } from './tally.ts'

/** The smallest and largest values among the rows. */
export type Extremes = Pick<Tally, 'least' | 'most'>

const { group: GROUP, member: ALL } = TASK_TOTALS
/** What only ever grows, what rows cannot tell (a failure stays counted when its task is queued again), and our own. */
const UNTOLD = /^(failed(:|$)|lastAt:|leastDurationMs$|mostDurationMs$|corrections$)/

/** What has to be added to the kept totals of tasks, those of all and of days, to make them the counted ones. */
export const driftOf = (kept: Counts, counted: Counts, isWhole: boolean): Counts =>
  driftBetween(kept, counted, isWhole, UNTOLD)

/** The tallies that take a drift away, counted as a correction. Extremes that stand already change nothing. */
export const correctionOf = (drift: Counts, extremes: Extremes): Tally[] => [
  { tally: GROUP, member: ALL, add: { corrections: 1 }, ...extremes },
  ...Object.entries(drift).map(([member, add]) => ({
    tally: member === ALL ? GROUP : DAILY_TOTALS,
    member,
    add,
  })),
]
