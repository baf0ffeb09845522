import { type Counts, textOf } from '../core/drift.ts'
import { createJudge, type Finding } from '../core/judge.ts'
import { createQuietCheck } from '../core/quiet-check.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store, Tally } from '../ports/store.ts'
import { beginCount } from './count.ts'
import { deadLetters, LETTER_TOTALS } from './rows.ts'

/** `correct` takes a drift away, once for each number there is. `rowsAtOnce`: dead letters that a call reads at most. */
type Needs = {
  store: Store
  correct: (it: {
    of: string
    number: number
    drift: Counts
    message: string
    tallies: readonly Tally[]
  }) => Promise<void>
  clock: Clock
  rowsAtOnce?: number
}

const PAGE = 1_000
const ROWS_AT_ONCE = 10_000
const { tally: TALLY, member: ALL } = LETTER_TOTALS

/**
 * Compares the totals of the dead letters with the rows: for storage without transactions, where a death or a refusal
 * between a dead letter and its tally leaves that out. A look is at the pending ones, of which every change has to do with.
 */
export const createLetterCheck = ({ store, correct, clock, rowsAtOnce = ROWS_AT_ONCE }: Needs) =>
  createQuietCheck<Finding>({
    clock,
    read: async () => (await store.tallies(TALLY))[ALL] ?? {},
    look: async ({ pending = 0 }) => {
      const query = { index: 'byStatus', is: 'pending', order: 'asc', limit: PAGE } as const
      const { rows, next } = await store.page(deadLetters, query)
      const differs = next === undefined ? rows.length !== pending : pending < PAGE
      return differs ? { count: 'now', rows: 0 } : { count: 'when due', rows: rows.length }
    },
    begin: async (totals) => beginCount({ store, clock, rowsAtOnce }, totals),
    judge: createJudge({
      correct: ({ drift }, number) =>
        correct({
          ...{ of: TALLY, number, drift, message: textOf(drift) },
          tallies: [{ ...LETTER_TOTALS, add: { ...drift[ALL], corrections: 1 } }],
        }),
    }),
  })
