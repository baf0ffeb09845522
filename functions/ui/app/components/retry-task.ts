import { refetch } from '../data/change.ts'
import { client } from '../data/client.ts'
import { createSignal } from '../data/signal.ts'
import { WORK } from '../data/streaming.ts'
import { errorMessage } from './problem.tsx'
import { startOfLine } from './text-weight.ts'
import { toast } from './toast.tsx'

/** Tasks whose retry is on its way, or not yet in the lists. A second one would be a second paid run. */
const retrying = createSignal<ReadonlySet<string>>(new Set())

const mark = (id: string, isMarked: boolean) => {
  const ids = new Set(retrying.get())
  isMarked ? ids.add(id) : ids.delete(id)
  retrying.set(ids)
}

/** Retries a task as a new one, and says what became of it. Resolves to the new task; undefined if there is none. */
export const retryTask = async ({ id, title }: { readonly id: string; readonly title: string }) => {
  if (retrying.get().has(id)) return
  mark(id, true)
  try {
    const { task } = await client.retryTask({ params: { id } })
    toast.done('Retried as a new task', startOfLine(title))
    return task
  } catch (error) {
    toast.failed('Not retried', `${startOfLine(title)}: ${errorMessage(error)}`)
  } finally {
    // A retry resolves the dead letter of the task.
    void refetch(...WORK).finally(() => mark(id, false))
  }
}

export const useIsRetrying = (id: string): boolean => retrying.use().has(id)
