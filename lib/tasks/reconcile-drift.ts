import type { Tally, Totals } from '../ports/store.ts'
import { DAILY_TOTALS, TASK_TOTALS } from './tally.ts'

/** Totals by their member: those of all tasks under its own, those of a day under its date. */
export type Counts = Readonly<Record<string, Totals>>

/** The smallest and largest values among the rows. */
export type Extremes = Pick<Tally, 'least' | 'most'>

const { group: GROUP, member: ALL } = TASK_TOTALS
/** What only ever grows, what rows cannot tell (a failure stays counted when its task is queued again), and our own. */
const UNTOLD = /^(failed(:|$)|lastAt:|leastDurationMs$|mostDurationMs$|corrections$)/

/**
 * What has to be added to the kept totals to make them the counted ones; nothing at all where they are. A count that is
 * whole says of a total that it does not have that it is 0, any other says nothing of it.
 */
export const driftOf = (kept: Counts, counted: Counts, isWhole: boolean): Counts => {
  const members = namesOf(counted, isWhole ? kept : {})
  const drifts = members.map((member) => {
    const [had = {}, has = {}] = [kept[member], counted[member]]
    const steps = namesOf(has, isWhole ? had : {})
      .filter((name) => !UNTOLD.test(name))
      .map((name) => [name, (has[name] ?? 0) - (had[name] ?? 0)] as const)
    return [member, Object.fromEntries(steps.filter(([, step]) => step !== 0))] as const
  })
  return Object.fromEntries(drifts.filter(([, steps]) => Object.keys(steps).length > 0))
}

const namesOf = (one: object, other: object): string[] => [
  ...new Set([...Object.keys(one), ...Object.keys(other)]),
]

/** The tallies that take a drift away, counted as a correction. Extremes that stand already change nothing. */
export const correctionOf = (drift: Counts, extremes: Extremes): Tally[] => [
  { tally: GROUP, member: ALL, add: { corrections: 1 }, ...extremes },
  ...Object.entries(drift).map(([member, add]) => ({
    tally: member === ALL ? GROUP : DAILY_TOTALS,
    member,
    add,
  })),
]

/** The same text for the same counts: storage keeps no order of names. */
export const textOf = (counts: Counts): string =>
  Object.entries(counts)
    .flatMap(([member, totals]) => Object.entries(totals).map(([name, n]) => `${member} ${name} ${n}`))
    .sort()
    .join(', ')
