import type { Totals } from '../ports/store.ts'
import { driftOf, textOf } from './reconcile-drift.ts'
import { createJudge, type JudgeNeeds } from './reconcile-judge.ts'
import { createOpenCount } from './reconcile-open.ts'
import { createSumCheck } from './reconcile-sums.ts'
import { beginWalk, type Walk, type Walked } from './reconcile-walk.ts'
import { TASK_TOTALS } from './tally.ts'

/** `rowsAtOnce`: tasks that a call reads at most; each is half a kilobyte of an index. */
type Needs = JudgeNeeds & { rowsAtOnce?: number }

const ROWS_AT_ONCE = 10_000
/** After a count that found all right, the next one waits so long for each task in it; after a look at a few, longer. */
const PAUSE_MS_A_ROW = 10
const LOOK_PAUSE_MS_A_ROW = 50
/** As long as nothing comes of a count of the states, which reads a few thousand. */
const STATES_PAUSE_MS = 150_000
/** Totals that nothing speaks against are counted again after an hour, or so long for each task. */
const REST_MS = 3_600_000
const REST_MS_A_ROW = 360

/**
 * Compares the maintained totals with the rows. A call costs one small read while the totals change. Once two calls have
 * found the same, they are held against the tasks in open states and against the sums of the days; when these contradict
 * them, or the last count is long ago, every task is counted, so many with each call, and what that finds is judged.
 */
export const createCounterCheck = (needs: Needs) => {
  const { store, clock, rowsAtOnce = ROWS_AT_ONCE } = needs
  const open = createOpenCount(needs)
  const sumsDiffer = createSumCheck(needs)
  const [ofStates, ofWalk] = [createJudge(needs), createJudge(needs)]
  let seen: string | undefined
  let looked: string | undefined
  let walk: Walk | undefined
  let pauseUntil = 0
  let restUntil = 0

  const pause = (rows: number, msARow: number) => {
    pauseUntil = clock.monotonic() + rows * msARow
  }

  const judgeWalk = async (name: string, totals: Totals, { steps, rows, ...walked }: Walked) => {
    const { corrections = 0 } = walked.kept[TASK_TOTALS.member] ?? {}
    // Somebody else has corrected meanwhile what is found here.
    if (corrections !== (totals.corrections ?? 0)) return
    const drift = driftOf(walked.kept, walked.counts, true)
    // Over a longer walk the totals change; a difference stays.
    if (!(await ofWalk.judge(steps > 1 ? '' : name, { ...walked, drift, corrections }))) return
    pause(rows, PAUSE_MS_A_ROW)
    restUntil = clock.monotonic() + Math.max(REST_MS, rows * REST_MS_A_ROW)
  }

  /** What fails is tried again where it stopped. */
  const goOn = async (name: string, totals: Totals, step: Walk): Promise<void> => {
    walk = step
    const walked = await step()
    if (walked === undefined) return
    walk = undefined
    await judgeWalk(name, totals, walked)
  }

  /** Of more tasks than a call reads, what can be told at once. Their walk is for the rest. */
  const judgeStates = async (name: string, totals: Totals): Promise<void> => {
    const states = await open.states(totals)
    const drift = states && driftOf({ [TASK_TOTALS.member]: totals }, states.counts, false)
    const { corrections = 0 } = totals
    const isDone = !drift || (await ofStates.judge(name, { ...states, drift, corrections, extremes: {} }))
    if (isDone) pauseUntil = clock.monotonic() + STATES_PAUSE_MS
  }

  /** What speaks against the totals, as far as few rows can tell. */
  const doubts = async (name: string, totals: Totals): Promise<'states' | 'sums' | undefined> => {
    const isNew = name !== looked
    const { differs, rows } = await open.look(totals, isNew)
    if (differs) return 'states'
    if (isNew && (await sumsDiffer(totals))) return 'sums'
    looked = name
    pause(rows, LOOK_PAUSE_MS_A_ROW)
    return undefined
  }

  /** One look, as each tick takes it. */
  return async (): Promise<void> => {
    const totals = (await store.tallies(TASK_TOTALS.group))[TASK_TOTALS.member] ?? {}
    const name = textOf({ [TASK_TOTALS.member]: totals })
    const isQuiet = name === seen
    seen = name
    if (walk) return goOn(name, totals, walk)
    if (!isQuiet || clock.monotonic() < pauseUntil) return
    const doubt = await doubts(name, totals)
    if (doubt === 'states' && (totals.total ?? 0) > rowsAtOnce) return judgeStates(name, totals)
    const isDue = clock.monotonic() >= restUntil || ofWalk.suspects()
    if (doubt !== undefined || isDue)
      await goOn(name, totals, await beginWalk({ store, clock, rowsAtOnce }, totals))
  }
}
