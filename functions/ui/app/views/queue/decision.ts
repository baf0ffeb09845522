import { ApiError } from '../../../../../lib/api/api-error.ts'
import { errorMessage } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { type DeadLetter, type Decision, useDecide } from '../../data/dead-letters.ts'

const toasts: Readonly<Record<Decision, { done: string; failed: string }>> = {
  retry: { done: 'Retried', failed: 'Not retried' },
  discard: { done: 'Discarded', failed: 'Not discarded' },
}

/** A dead letter without a task cannot be retried. */
const refusalReason = (error: unknown) =>
  error instanceof ApiError && error.status === 404
    ? `${errorMessage(error)}. Its task no longer exists. Discard it.`
    : errorMessage(error)

type Named = Pick<DeadLetter, 'id' | 'title'>

/** Decides on any letter, and says how that went. */
export const useDecisions = () => {
  const { mutate, isPending } = useDecide()
  const decide = ({ id, title }: Named, decision: Decision, onDone?: () => void) =>
    mutate(
      { id, decision },
      {
        onSuccess: () => {
          toast.done(toasts[decision].done, title)
          onDone?.()
        },
        onError: (error) => toast.failed(toasts[decision].failed, refusalReason(error)),
      },
    )
  return { decide, isDeciding: isPending }
}

export const useDecision = (letter: Named, onDone?: () => void) => {
  const { decide, isDeciding } = useDecisions()
  return { decide: (decision: Decision) => decide(letter, decision, onDone), isDeciding }
}
