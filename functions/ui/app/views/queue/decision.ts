import { ApiError } from '../../../../../lib/api/api-error.ts'
import { saysOf } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { type DeadLetter, type Decision, useDecide } from '../../data/dead-letters.ts'

const said: Readonly<Record<Decision, { done: string; failed: string }>> = {
  retry: { done: 'Queued again', failed: 'Not queued again' },
  discard: { done: 'Discarded', failed: 'Not discarded' },
}

/** A message that named no task leaves a dead letter that nothing can be queued for. */
const reasonOf = (error: unknown) =>
  error instanceof ApiError && error.status === 404
    ? `${saysOf(error)}. There is nothing to run again: discard it.`
    : saysOf(error)

/** Decides about one dead letter, and says what came of it. */
export const useDecision = ({ id, title }: Pick<DeadLetter, 'id' | 'title'>, onDone?: () => void) => {
  const { mutate, isPending } = useDecide()
  const decide = (decision: Decision) =>
    mutate(
      { id, decision },
      {
        onSuccess: () => {
          toast.done(said[decision].done, title)
          onDone?.()
        },
        onError: (error) => toast.failed(said[decision].failed, reasonOf(error)),
      },
    )
  return { decide, isDeciding: isPending }
}
