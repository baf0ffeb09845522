import type { Clock } from '../ports/clock.ts'
import type { Store, Tally, Totals } from '../ports/store.ts'
import { beginCount, type Count, type Counted } from './count.ts'
import { deadLetters, LETTER_TOTALS } from './rows.ts'
import { DLQ_STATUSES } from './schema.ts'

/** `correct` takes a drift away, once for each number there is. `rowsAtOnce`: dead letters that a call reads at most. */
type Needs = {
  store: Store
  correct: (it: {
    of: string
    number: number
    drift: Totals
    message: string
    tallies: readonly Tally[]
  }) => Promise<void>
  clock: Clock
  rowsAtOnce?: number
}

const PAGE = 1_000
const ROWS_AT_ONCE = 10_000
/** After a look that found all right, the next one waits so long for each dead letter in it. */
const PAUSE_MS_A_ROW = 50
/** Totals that nothing speaks against are counted again after an hour, or so long for each dead letter. */
const REST_MS = 3_600_000
const REST_MS_A_ROW = 360

/**
 * Compares the totals of the dead letters with the rows, as the tasks' counters are: for storage without transactions,
 * where a death or a refusal between a dead letter and its tally leaves that out. A call costs one small read while the
 * totals change. Once two calls have found the same, they are held against the pending ones, of which every change has to
 * do with; when these contradict them, or the last count is long ago, all are counted, so many with each call. A
 * difference that is found twice is corrected.
 */
export const createLetterCheck = ({ store, correct, clock, rowsAtOnce = ROWS_AT_ONCE }: Needs) => {
  let seen: string | undefined
  let count: Count | undefined
  let suspected = ''
  let [pauseUntil, restUntil] = [0, 0]

  /** What is more than a page by its total is passed over. */
  const pendingDiffer = async ({ pending = 0 }: Totals): Promise<boolean> => {
    if (pending >= PAGE) return false
    const query = { index: 'byStatus', is: 'pending', order: 'asc', limit: PAGE } as const
    const { rows, next } = await store.page(deadLetters, query)
    if (next !== undefined || rows.length !== pending) return true
    pauseUntil = clock.monotonic() + rows.length * PAUSE_MS_A_ROW
    return false
  }

  const judge = async (name: string, { kept, counts, steps }: Counted): Promise<void> => {
    const drift = driftOf(kept, counts)
    const message = nameOf(drift)
    // Over a longer count the totals change; a difference stays.
    const suspicion = message && `${steps > 1 ? '' : name}; ${message}`
    const { corrections: number = 0 } = kept
    if (suspicion === '') restUntil = clock.monotonic() + Math.max(REST_MS, counts.total * REST_MS_A_ROW)
    else if (suspicion === suspected)
      await correct({
        ...{ of: LETTER_TOTALS.tally, number, drift, message },
        tallies: [{ ...LETTER_TOTALS, add: { ...drift, corrections: 1 } }],
      })
    suspected = suspicion
  }

  /** What fails is tried again where it stopped. */
  const goOn = async (name: string, totals: Totals, step: Count): Promise<void> => {
    count = step
    const counted = await step()
    if (counted === undefined) return
    count = undefined
    // Somebody else may have corrected meanwhile what is found here.
    if (counted.kept.corrections === totals.corrections) await judge(name, counted)
  }

  /** One look, as each tick takes it. */
  return async (): Promise<void> => {
    const totals = (await store.tallies(LETTER_TOTALS.tally))[LETTER_TOTALS.member] ?? {}
    const name = nameOf(totals)
    const isQuiet = name === seen
    seen = name
    if (count) return goOn(name, totals, count)
    if (!isQuiet || clock.monotonic() < pauseUntil) return
    const isDue = clock.monotonic() >= restUntil || suspected !== ''
    if ((await pendingDiffer(totals)) || isDue)
      await goOn(name, totals, beginCount({ store, clock, rowsAtOnce }, totals))
  }
}

/** What has to be added to the kept totals to make them the counted ones. */
const driftOf = (kept: Totals, counts: Totals): Totals =>
  Object.fromEntries(
    [...DLQ_STATUSES, 'total']
      .map((name) => [name, (counts[name] ?? 0) - (kept[name] ?? 0)] as const)
      .filter(([, step]) => step !== 0),
  )

/** The same text for the same totals: storage keeps no order of names. */
const nameOf = (totals: Totals): string =>
  Object.entries(totals)
    .map(([name, n]) => `${name} ${n}`)
    .sort()
    .join(', ')
