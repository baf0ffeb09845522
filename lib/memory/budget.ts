import { setImmediate as turn } from 'node:timers/promises'
import { Problem } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'

/** What changes many files in a function ends before the function does. */
const BUDGET_MS = 15_000
/** What a change of many files takes in a function, with the time to store what came of it. */
export const LONGEST_SYNC_MS = 24_000
/** Files that are worked on at once. */
const AT_ONCE = 4

/** How long one change of memory may go on: without end in a process that lives on. */
type Budget = { leftMs(): number; isOver(): boolean }
export type BeginBudget = () => Budget

export const createBudget =
  ({ clock, shared }: { clock: Pick<Clock, 'monotonic'>; shared: boolean }): BeginBudget =>
  () => {
    const from = clock.monotonic()
    const leftMs = () => (shared ? from + BUDGET_MS - clock.monotonic() : Number.POSITIVE_INFINITY)
    return { leftMs, isOver: () => leftMs() < 0 }
  }

/**
 * Does the same to each of many files. Throws Problem `memory_sync_unfinished` when it is over before all are done: what was
 * done is stored, and the next call goes on from there.
 */
export const inBatches = async <T, R>(
  files: readonly T[],
  isOver: () => boolean,
  work: (file: T) => Promise<R>,
): Promise<R[]> => {
  const done: R[] = []
  while (done.length < files.length) {
    if (isOver()) throw unfinished(`${done.length} of ${files.length} files are done`)
    done.push(...(await Promise.all(files.slice(done.length, done.length + AT_ONCE).map(work))))
    // Cutting a large file takes a while, and others wait for answers.
    await turn()
  }
  return done
}

export const unfinished = (what: string) =>
  new Problem('unavailable', 'memory_sync_unfinished', `${what}; ask again to go on`, {
    retryAfterMs: 1_000,
  })
