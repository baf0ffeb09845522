import type { Task } from '../../../../lib/tasks/schema.ts'
import { toast } from '../components/toast.tsx'
import { draftFrom } from '../create/draft.ts'
import { overlay } from './overlay.ts'

/** Opens the form with a task, with another prompt where one is given. An unsent draft of another task is not replaced. */
export const editAgain = (task: Task, changed?: { readonly prompt: string }): void => {
  if (draftFrom(task, changed)) overlay.set('again')
  else toast.failed('You have an unsent task', 'Continue or discard it first, at the top of the page.')
}
