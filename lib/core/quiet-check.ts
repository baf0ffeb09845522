import { type Totals, textOf } from './drift.ts'
import type { Finding, Judge } from './judge.ts'
import type { Walked } from './walk.ts'

/** Goes on with a count of all rows; resolves to undefined until it has seen the last. */
export type Count<F extends Finding> = () => Promise<(F & Walked) | undefined>

/** What a look at so many rows comes to: all rows are counted now, or once that is due, or not before the next look. */
export type View = { count: 'now' | 'when due' | 'later'; rows: number }

type Needs<F extends Finding> = {
  clock: { monotonic(): number }
  read: () => Promise<Totals>
  /** The `name` is the same for the same totals. */
  look: (totals: Totals, name: string) => Promise<View>
  begin: (totals: Totals) => Promise<Count<F>>
  judge: Judge<F>
}

/** After a count that found all right, the next one waits so long for each row in it; after a look at a few, longer. */
const PAUSE_MS_A_ROW = 10
const LOOK_PAUSE_MS_A_ROW = 50
/** Totals that nothing speaks against are counted again after an hour, or so long for each row. */
const REST_MS = 3_600_000
const REST_MS_A_ROW = 360

/**
 * Compares maintained totals with the rows. A call costs one small read while the totals change. Once two calls have found
 * the same, they are held against a few rows; when these contradict them, or the last count is long ago, all rows are
 * counted, so many with each call, and what that finds is judged.
 */
export const createQuietCheck = <F extends Finding>({ clock, read, look, begin, judge }: Needs<F>) => {
  let seen: string | undefined
  let count: Count<F> | undefined
  let corrections: number | undefined
  let [pauseUntil, restUntil] = [0, 0]

  /** What fails is tried again where it stopped. */
  const goOn = async (name: string, totals: Totals, step: Count<F>): Promise<void> => {
    count = step
    const counted = await step()
    if (counted === undefined) return
    count = undefined
    // Somebody else has corrected meanwhile what is found here.
    if (corrections !== totals.corrections) return
    // Over a longer count the totals change; a difference stays.
    if (!(await judge.judge(counted.steps > 1 ? '' : name, counted, corrections))) return
    pauseUntil = clock.monotonic() + counted.rows * PAUSE_MS_A_ROW
    restUntil = clock.monotonic() + Math.max(REST_MS, counted.rows * REST_MS_A_ROW)
  }

  /** One look, as each tick takes it. */
  return async (): Promise<void> => {
    const totals = await read()
    const name = textOf({ totals })
    const isQuiet = name === seen
    seen = name
    if (count) return goOn(name, totals, count)
    if (!isQuiet || clock.monotonic() < pauseUntil) return
    const view = await look(totals, name)
    pauseUntil = clock.monotonic() + view.rows * LOOK_PAUSE_MS_A_ROW
    const isDue = clock.monotonic() >= restUntil || judge.suspects()
    if (view.count === 'later' || (view.count === 'when due' && !isDue)) return
    // What changed during the look is in rows that were not later than the count, and not in these totals.
    if (textOf({ totals: await read() }) !== name) return
    corrections = totals.corrections
    await goOn(name, totals, await begin(totals))
  }
}
