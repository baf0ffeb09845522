import { isFinal, nextStatus } from '../../../../../lib/tasks/machine.ts'
import { cancelSoon } from '../../components/cancel-soon.ts'
import { errorMessage } from '../../components/problem.tsx'
import type { RowActs } from '../../components/row-keys.ts'
import { startOfLine } from '../../components/text-weight.ts'
import { toast } from '../../components/toast.tsx'
import { useRetryTask } from '../../data/tasks.ts'
import type { TaskRow } from './rows.ts'

/** Retry and cancel of the focused row, as on its page; in a state that they do not fit they do nothing. */
export const useRowVerbs = (rows: readonly TaskRow[]): RowActs => {
  const { mutate } = useRetryTask()
  const withTask = (act: (task: TaskRow) => void) => (id: string) => {
    const task = rows.find((row) => row.id === id)
    if (task) act(task)
  }
  return {
    cancel: withTask((task) => nextStatus(task.status, 'cancel') && cancelSoon(task)),
    retry: withTask(({ id, title, status }) => {
      if (!isFinal(status)) return
      mutate(id, {
        onSuccess: () => void toast.done('Retried as a new task', startOfLine(title)),
        onError: (error) => void toast.failed('Not retried', `${startOfLine(title)}: ${errorMessage(error)}`),
      })
    }),
  }
}
