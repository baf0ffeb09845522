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
    ? `${errorMessage(error)}. There is no task to retry. Discard it.`
    : errorMessage(error)

export const useDecision = ({ id, title }: Pick<DeadLetter, 'id' | 'title'>, onDone?: () => void) => {
  const { mutate, isPending } = useDecide()
  const decide = (decision: Decision) =>
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
