import { formatDateTime } from '../../components/format.ts'
import { errorMessage } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { type InboxItem, useComplete, useReopen, useSnooze } from '../../data/inbox.ts'

const UNDO_MS = 8_000

const items = (count: number) => (count === 1 ? 'Item' : `${count} items`)

/** Marks items for the user, and says what became of them. */
export const useMarking = () => {
  const completing = useComplete()
  const snoozing = useSnooze()
  const reopening = useReopen()
  const reopen = (some: readonly InboxItem[]) =>
    reopening.mutate(some, {
      onError: (error) => void toast.failed('Not reopened', errorMessage(error)),
    })
  return {
    reopen,
    complete: (some: readonly InboxItem[]) => {
      const others = some.filter(({ kind }) => kind !== 'approval')
      if (others.length < some.length)
        toast.done('Some calls need a decision', 'Allow or deny them, or snooze them.')
      if (others.length === 0) return
      completing.mutate(others, {
        onSuccess: () =>
          void toast.undoable(`${items(others.length)} done`, undefined, () => reopen(others), UNDO_MS),
        onError: (error) => void toast.failed('Not marked as done', errorMessage(error)),
      })
    },
    snooze: (some: readonly InboxItem[], until: string) =>
      snoozing.mutate(
        { items: some, until },
        {
          onSuccess: () => void toast.done(`${items(some.length)} snoozed until ${formatDateTime(until)}`),
          onError: (error) => void toast.failed('Not snoozed', errorMessage(error)),
        },
      ),
  }
}
