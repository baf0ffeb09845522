import { textOf } from '../core/drift.ts'
import { createJudge, type Finding } from '../core/judge.ts'
import type { Correct } from './corrections.ts'
import type { Reconcile } from './reconcile.ts'
import { correctionOf, type Extremes } from './reconcile-drift.ts'

export type JudgeNeeds = { reconcile: Pick<Reconcile, 'settle'>; correct: Correct }

export type TaskFinding = Finding & { extremes: Extremes }

const SETTLED_AT_ONCE = 50

/** Judges what a count of tasks has found. */
export const createTaskJudge = ({ reconcile, correct }: JudgeNeeds) =>
  createJudge<TaskFinding>({
    /** Storage refuses one now and then, which costs the others nothing. */
    settle: async (ids) => {
      const refused: string[] = []
      const settleOne = (id: string) => reconcile.settle(id).catch(() => refused.push(id))
      for (let at = 0; at < ids.length; at += SETTLED_AT_ONCE)
        await Promise.all(ids.slice(at, at + SETTLED_AT_ONCE).map(settleOne))
      return refused
    },
    correct: ({ drift, extremes }, number) =>
      correct({
        ...{ of: 'counters', number, drift, message: textOf(drift) },
        tallies: correctionOf(drift, extremes),
      }),
  })
