import { isFinal, nextStatus } from '../../../../../lib/tasks/machine.ts'
import { cancelSoon } from '../../components/cancel-soon.ts'
import { retryTask } from '../../components/retry-task.ts'
import type { RowActs } from '../../components/row-keys.ts'
import type { TaskRow } from './rows.ts'

/** Retry and cancel of the focused row, as on its page; in a state that they do not fit they do nothing. */
export const rowVerbs = (rows: readonly TaskRow[]): RowActs => {
  const withTask = (act: (task: TaskRow) => void) => (id: string) => {
    const task = rows.find((row) => row.id === id)
    if (task) act(task)
  }
  return {
    cancel: withTask((task) => nextStatus(task.status, 'cancel') && cancelSoon(task)),
    retry: withTask((task) => isFinal(task.status) && void retryTask(task)),
  }
}
