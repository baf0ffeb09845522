import { setImmediate as turn } from 'node:timers/promises'
import { Problem } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'

/** The time limit of a change of many files in a function. */
const BUDGET_MS = 15_000
/** The time limit of such a change, with the write of its result. */
export const LONGEST_SYNC_MS = 24_000
const AT_ONCE = 4

/** The time limit of one change of memory: none in a long-lived process. */
type Budget = { leftMs(): number; isOver(): boolean }
export type BeginBudget = () => Budget

export const createBudget =
  ({ clock, shared }: { clock: Pick<Clock, 'monotonic'>; shared: boolean }): BeginBudget =>
  () => {
    const from = clock.monotonic()
    const leftMs = () => (shared ? from + BUDGET_MS - clock.monotonic() : Number.POSITIVE_INFINITY)
    return { leftMs, isOver: () => leftMs() < 0 }
  }

/** Calls `work` for each file. Throws Problem `memory_sync_unfinished` when the time is up; the next call continues. */
export const inBatches = async <T, R>(
  files: readonly T[],
  isOver: () => boolean,
  work: (file: T) => Promise<R>,
): Promise<R[]> => {
  const done: R[] = []
  while (done.length < files.length) {
    if (isOver()) throw unfinished(`${done.length} of ${files.length} files are synced`)
    done.push(...(await Promise.all(files.slice(done.length, done.length + AT_ONCE).map(work))))
    // Cutting a large file takes long; other requests get a turn.
    await turn()
  }
  return done
}

export const unfinished = (what: string) =>
  new Problem('unavailable', 'memory_sync_unfinished', `${what}. Sync again to continue`, {
    retryAfterMs: 1_000,
  })
