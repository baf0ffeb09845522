import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Correct } from './corrections.ts'
import type { Reconcile } from './reconcile.ts'
import { type Counts, correctionOf, type Extremes, textOf } from './reconcile-drift.ts'

export type JudgeNeeds = {
  store: Store
  reconcile: Pick<Reconcile, 'settle'>
  correct: Correct
  clock: Clock
}

/** A difference between the totals and the rows, and what there is to make up for it. */
export type Finding = { drift: Counts; extremes: Extremes; recent: readonly string[]; corrections: number }

const SETTLED_AT_ONCE = 50

/**
 * Judges what a count has found. A difference is first taken for something untold, which the tasks that changed last are
 * looked at for; one that is found again once all of them could be looked at is drift, and is corrected.
 */
export const createJudge = ({ reconcile, correct }: Pick<JudgeNeeds, 'reconcile' | 'correct'>) => {
  let suspected = ''
  let unsettled: readonly string[] = []

  /** Resolves to those that could not be settled: storage refuses one now and then, which costs the others nothing. */
  const settleAll = async (ids: readonly string[]): Promise<string[]> => {
    const refused: string[] = []
    const settle = (id: string) => reconcile.settle(id).catch(() => refused.push(id))
    for (let at = 0; at < ids.length; at += SETTLED_AT_ONCE)
      await Promise.all(ids.slice(at, at + SETTLED_AT_ONCE).map(settle))
    return refused
  }

  const take = ({ drift, extremes, corrections: number }: Finding): Promise<void> =>
    correct({
      ...{ of: 'counters', number, drift, message: textOf(drift) },
      tallies: correctionOf(drift, extremes),
    })

  return {
    /** Whether a difference waits to be found again. */
    suspects: () => suspected !== '',
    /** Whether there is nothing to correct. The `name` says when a difference counts as the one of before. */
    judge: async (name: string, finding: Finding): Promise<boolean> => {
      const isRight = Object.keys(finding.drift).length === 0
      const suspicion = isRight ? '' : name + textOf(finding.drift)
      if (!isRight && suspicion !== suspected) unsettled = await settleAll(finding.recent)
      else if (!isRight && unsettled.length > 0) unsettled = await settleAll(unsettled)
      else if (!isRight) await take(finding)
      suspected = suspicion
      return isRight
    },
  }
}
