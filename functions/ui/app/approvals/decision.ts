import { errorMessage } from '../components/problem.tsx'
import { toast } from '../components/toast.tsx'
import { type Decision, useDecide } from '../data/approvals.ts'
import { type Outcome, refusalOutcome } from './calls.ts'

export type Mark = (id: string, outcome: Outcome) => void

/** A call that was already decided reports its outcome instead of an error. */
export const useDecision = (id: string, mark: Mark) => {
  const { mutateAsync, isPending } = useDecide()
  const decide = async (decision: Decision) => {
    try {
      await mutateAsync({ id, decision })
      mark(id, decision)
    } catch (error) {
      const outcome = refusalOutcome(error)
      if (outcome === undefined) throw error
      mark(id, outcome)
    }
  }
  return {
    isDeciding: isPending,
    /** Rejects if the call is still undecided. */
    decide,
    decideOrSay: (decision: Decision) =>
      void decide(decision).catch((error: unknown) => toast.failed('Not decided', errorMessage(error))),
  }
}
