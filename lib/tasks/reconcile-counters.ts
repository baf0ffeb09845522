import { createQuietCheck, type View } from '../core/quiet-check.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store, Totals } from '../ports/store.ts'
import { driftOf } from './reconcile-drift.ts'
import { createTaskJudge, type JudgeNeeds } from './reconcile-judge.ts'
import { createOpenCount } from './reconcile-open.ts'
import { createSumCheck } from './reconcile-sums.ts'
import { beginWalk } from './reconcile-walk.ts'
import { TASK_TOTALS } from './tally.ts'

/** `rowsAtOnce`: tasks that a call reads at most; each is half a kilobyte of an index. */
type Needs = JudgeNeeds & { store: Store; clock: Clock; rowsAtOnce?: number }

const ROWS_AT_ONCE = 10_000
/** So many are read to count the states, more or less: when nothing comes of it, it is not done again at once. */
const STATES_ROWS = 3_000

/**
 * Compares the totals with the tasks: at a look with those in open states, and with the sums of the days. What it finds
 * in the states of many tasks is judged at once.
 */
export const createCounterCheck = (needs: Needs) => {
  const { store, clock, rowsAtOnce = ROWS_AT_ONCE } = needs
  const open = createOpenCount(needs)
  const sumsDiffer = createSumCheck(needs)
  const [ofStates, ofWalk] = [createTaskJudge(needs), createTaskJudge(needs)]
  let looked: string | undefined

  /** Of more tasks than a call reads, what can be told at once. Their walk, once it is due, is for the rest, or for all. */
  const judgeStates = async (totals: Totals, name: string): Promise<View> => {
    const states = await open.states(totals)
    const drift = states && driftOf({ [TASK_TOTALS.member]: totals }, states.counts, false)
    const isDone =
      !drift || (await ofStates.judge(name, { ...states, drift, extremes: {} }, totals.corrections))
    return isDone ? { count: 'when due', rows: STATES_ROWS } : { count: 'later', rows: 0 }
  }

  return createQuietCheck({
    clock,
    read: async () => (await store.tallies(TASK_TOTALS.group))[TASK_TOTALS.member] ?? {},
    look: async (totals, name) => {
      const isNew = name !== looked
      const { differs, rows } = await open.look(totals, isNew)
      if (differs && (totals.total ?? 0) > rowsAtOnce) return judgeStates(totals, name)
      if (differs || (isNew && (await sumsDiffer(totals)))) return { count: 'now', rows: 0 }
      looked = name
      return { count: 'when due', rows }
    },
    begin: (totals) => beginWalk({ store, clock, rowsAtOnce }, totals),
    judge: ofWalk,
  })
}
