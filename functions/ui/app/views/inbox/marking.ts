import { formatDateTime } from '../../components/format.ts'
import { errorMessage } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { type InboxItem, useComplete, useReopen, useSnooze } from '../../data/inbox.ts'

const UNDO_MS = 8_000

const items = (count: number) => (count === 1 ? 'Item' : `${count} items`)

/** Marks items for the user, and says what became of them. Resolves to whether all are marked. */
export const useMarking = () => {
  // The callbacks of `mutate` run for the latest call alone.
  const { mutateAsync: complete } = useComplete()
  const { mutateAsync: snooze } = useSnooze()
  const { mutateAsync: reopen } = useReopen()
  const reopenItems = (some: readonly InboxItem[]) => said(reopen(some), 'Not reopened')
  return {
    reopen: reopenItems,
    complete: async (some: readonly InboxItem[]) => {
      const others = some.filter(({ kind }) => kind !== 'approval')
      if (others.length < some.length)
        toast.done('Some calls need a decision', 'Allow or deny them, or snooze them.')
      if (others.length === 0) return true
      const isDone = await said(complete(others), 'Not marked as done')
      if (isDone)
        toast.undoable(`${items(others.length)} done`, undefined, () => void reopenItems(others), UNDO_MS)
      return isDone
    },
    snooze: async (some: readonly InboxItem[], until: string) => {
      const isSnoozed = await said(snooze({ items: some, until }), 'Not snoozed')
      if (isSnoozed) toast.done(`${items(some.length)} snoozed until ${formatDateTime(until)}`)
      return isSnoozed
    },
  }
}

const said = (marking: Promise<unknown>, failure: string) =>
  marking.then(
    () => true,
    (error: unknown) => {
      toast.failed(failure, errorMessage(error))
      return false
    },
  )
