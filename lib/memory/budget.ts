import type { Clock } from '../ports/clock.ts'

/** What changes many files in a function ends before the function does. */
const BUDGET_MS = 18_000
/** What a change of many files takes in a function, with the time to store what came of it. */
export const LONGEST_SYNC_MS = 20_000

/** Begins to count; whether the time is up, which it never is in a process that lives on. */
export type Budget = () => () => boolean

export const createBudget =
  ({ clock, shared }: { clock: Pick<Clock, 'monotonic'>; shared: boolean }): Budget =>
  () => {
    const from = clock.monotonic()
    return () => shared && clock.monotonic() - from > BUDGET_MS
  }
