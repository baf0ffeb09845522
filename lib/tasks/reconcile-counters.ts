import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store, Totals } from '../ports/store.ts'
import type { Reconcile } from './reconcile.ts'
import { type Counts, correctionOf, driftOf, type Extremes, textOf } from './reconcile-drift.ts'
import { createRecount, type Recount } from './reconcile-recount.ts'
import { taskEvents } from './rows.ts'
import type { TaskEvent } from './schema.ts'
import { DAILY_TOTALS, TASK_TOTALS } from './tally.ts'

type Needs = { store: Store; reconcile: Pick<Reconcile, 'settle'>; clock: Clock; log: Log }

/** After a recount that found all right, the next one waits so long for each task that was counted. */
const PAUSE_MS_A_ROW = 10
/** Totals that were found right are counted again after so long, even where nothing changed them. */
const RECOUNT_MS = 3_600_000
const SETTLED_AT_ONCE = 50
/** The corrections have a log of their own, of no task: no task has this identifier. */
const CORRECTIONS = '#counters'
const LONGEST_MESSAGE = 2_000

/**
 * Compares the maintained totals with the rows while nothing moves, which is when two calls in a row find the same
 * totals. A difference is first taken for something untold, which the tasks that changed last are looked at for; one
 * that the next call finds again, with nothing changed in between, is drift, and is corrected. A call costs one small
 * read while the totals change, and while they are known to be right.
 */
export const createCounterCheck = ({ store, reconcile, clock, log }: Needs) => {
  const { recount, openDiffer } = createRecount({ store })
  let seen: string | undefined
  let right = { totals: '', until: 0 }
  let suspected = ''
  let pauseUntil = 0

  const isKnownRight = async (name: string, totals: Totals): Promise<boolean> =>
    name === right.totals && clock.monotonic() < right.until && !(await openDiffer(totals))

  const settleAll = async (ids: readonly string[]): Promise<void> => {
    for (let at = 0; at < ids.length; at += SETTLED_AT_ONCE)
      await Promise.all(ids.slice(at, at + SETTLED_AT_ONCE).map(reconcile.settle))
  }

  /** One correction for each number there is: of two ticks at once, one makes it; the time lets a dead one's be repeated. */
  const correct = async (drift: Counts, extremes: Extremes, corrections: number): Promise<void> => {
    const now = iso(clock.now())
    const row: TaskEvent = {
      id: `evt_${now.slice(0, 15)}_${corrections}`,
      taskId: CORRECTIONS,
      type: 'progress',
      timestamp: now,
      message: textOf(drift).slice(0, LONGEST_MESSAGE),
    }
    const { applied } = await store.commit<TaskEvent>(
      { insert: taskEvents, row },
      correctionOf(drift, extremes),
    )
    if (applied) log.warn({ drift }, 'counters had drifted and were corrected')
  }

  const judge = async (name: string, totals: Totals, recounted: Recount) => {
    const { counts, extremes, isWhole, rows, recent } = recounted
    const days = isWhole ? await store.tallies(DAILY_TOTALS) : {}
    const drift = driftOf({ ...days, [TASK_TOTALS.member]: totals }, counts, isWhole)
    const suspicion = name + textOf(drift)
    if (Object.keys(drift).length === 0) {
      right = { totals: name, until: clock.monotonic() + RECOUNT_MS }
      pauseUntil = clock.monotonic() + rows * PAUSE_MS_A_ROW
    } else if (suspicion !== suspected) await settleAll(recent)
    else await correct(drift, extremes, totals.corrections ?? 0)
    suspected = suspicion
  }

  /** One look, as each tick takes it. */
  return async (): Promise<void> => {
    const totals = (await store.tallies(TASK_TOTALS.group))[TASK_TOTALS.member] ?? {}
    const name = textOf({ [TASK_TOTALS.member]: totals })
    const isQuiet = name === seen
    seen = name
    if (!isQuiet || clock.monotonic() < pauseUntil || (await isKnownRight(name, totals))) return
    const recounted = await recount(totals)
    if (recounted) await judge(name, totals, recounted)
  }
}
