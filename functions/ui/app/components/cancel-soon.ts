import { toRequest } from '../../../../lib/api/client.ts'
import { routes } from '../data/at-build.ts'
import { refetch } from '../data/change.ts'
import { client } from '../data/client.ts'
import { createSignal } from '../data/signal.ts'
import { WORK } from '../data/streaming.ts'
import { formatNumber } from './format.ts'
import { errorMessage } from './problem.tsx'
import { startOfLine } from './text-weight.ts'
import { toast } from './toast.tsx'

const UNDO_MS = 5_000
const NOTE = 'Nothing is cancelled until then.'

type Named = { readonly id: string; readonly title: string }
type Batch = { tasks: readonly Named[]; timer: ReturnType<typeof setTimeout>; toastId: string }

/** Tasks whose cancel is not sent yet. They run on until then, so that an undo loses nothing. */
let batch: Batch | undefined
/** Those, and tasks whose cancel is on its way. */
const cancelling = createSignal<ReadonlySet<string>>(new Set())

const mark = (tasks: readonly Named[], isMarked: boolean) => {
  const ids = new Set(cancelling.get())
  for (const { id } of tasks) isMarked ? ids.add(id) : ids.delete(id)
  cancelling.set(ids)
}

const takeBatch = (): readonly Named[] => {
  if (!batch) return []
  const { tasks, timer, toastId } = batch
  batch = undefined
  clearTimeout(timer)
  toast.close(toastId)
  return tasks
}

const send = async ({ id, title }: Named) => {
  try {
    await client.cancelTask({ params: { id } })
  } catch (error) {
    toast.failed('Not cancelled', `${startOfLine(title)}: ${errorMessage(error)}`)
  }
}

const sendBatch = async () => {
  const tasks = takeBatch()
  await Promise.all(tasks.map(send))
  await refetch(...WORK)
  mark(tasks, false)
}

const batchTitle = (tasks: readonly Named[]) => {
  const [first] = tasks
  return first && tasks.length === 1 ? `“${startOfLine(first.title)}”` : `${formatNumber(tasks.length)} tasks`
}

/** Cancels a task after a time in which that can be undone. Tasks that follow within it are undone together. `note` is shown below. */
export const cancelSoon = ({ id, title }: Named, note = NOTE) => {
  if (cancelling.get().has(id)) return
  const tasks = [...takeBatch(), { id, title }]
  mark(tasks, true)
  batch = {
    tasks,
    timer: setTimeout(() => void sendBatch(), UNDO_MS),
    toastId: toast.undoable(
      `Cancelling ${batchTitle(tasks)} in ${UNDO_MS / 1_000} seconds`,
      note,
      undoCancel,
    ),
  }
}

export const undoCancel = () => mark(takeBatch(), false)

export const useIsCancelling = (id: string): boolean => cancelling.use().has(id)

/** A page that is left sends what waits: the cancel was asked for, and not undone. */
addEventListener('pagehide', () => {
  const tasks = takeBatch()
  for (const { id } of tasks) {
    const { url, init } = toRequest(routes.cancelTask, '', { params: { id } })
    void fetch(url, { ...init, keepalive: true })
  }
  mark(tasks, false)
})
