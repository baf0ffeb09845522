import { type Counts, textOf } from './drift.ts'

/** A difference between the totals and the rows, and the rows that changed last. */
export type Finding = { drift: Counts; recent?: readonly string[] }

/** `settle` makes up for what is untold of rows, and resolves to those that it could not look at. */
type Needs<F> = {
  settle?: (ids: readonly string[]) => Promise<readonly string[]>
  correct: (finding: F, number: number) => Promise<void>
}

export type Judge<F extends Finding> = ReturnType<typeof createJudge<F>>

/**
 * Judges what counts have found. A difference is first taken for something untold, which the rows that changed last are
 * looked at for; one that is found again once all of them could be looked at is drift, and is corrected.
 */
export const createJudge = <F extends Finding>({ settle = async () => [], correct }: Needs<F>) => {
  let suspected = ''
  let unsettled: readonly string[] = []

  return {
    /** Whether a difference waits to be found again. */
    suspects: () => suspected !== '',
    /** Whether all is right after so many corrections. The `name` says when a difference counts as the one of before. */
    judge: async (name: string, finding: F, corrections = 0): Promise<boolean> => {
      const { drift, recent = [] } = finding
      const isRight = Object.keys(drift).length === 0
      const suspicion = isRight ? '' : name + textOf(drift)
      if (!isRight && suspicion !== suspected) unsettled = await settle(recent)
      else if (!isRight && unsettled.length > 0) unsettled = await settle(unsettled)
      else if (!isRight) await correct(finding, corrections)
      suspected = suspicion
      return isRight
    },
  }
}
