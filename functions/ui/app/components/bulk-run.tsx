import { useEffect, useState } from 'react'
import { inBulk, type Progress } from '../data/bulk.ts'
import { Button } from './button.tsx'
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx'
import { errorMessage } from './problem.tsx'
import { ProgressBar } from './progress-bar.tsx'

export type BulkJob = {
  title: string
  /** Participle for the result: `queued again`. */
  past: string
  items: readonly { id: string; title: string }[]
  act: (id: string) => Promise<unknown>
}
type Props = BulkJob & {
  /** Called after the last item, also when items failed. */
  onOver: () => unknown
  onClose: () => void
}

/** Applies an action to each item, with progress and a list of failures. */
export const BulkRun = ({ title, past, items, act, onOver, onClose }: Props) => {
  const { done, total, failures } = useRun({ items, act, onOver })
  const isOver = done === total
  const titles = new Map(items.map((item) => [item.id, item.title]))
  return (
    <Dialog isOpen onClose={onClose} title={title}>
      <DialogBody>
        <ProgressBar label={title} done={done} total={total} failed={failures.length} />
        <p role="status">
          {isOver ? `${total - failures.length} of ${total} ${past}` : `${done} of ${total}`}
        </p>
        {failures.length > 0 && (
          <ul aria-label="What failed" className="divide-y rounded-md border">
            {failures.map(({ id, reason }) => (
              <li key={id} className="px-3 py-2">
                <p className="truncate font-medium">{titles.get(id)}</p>
                <p className="text-destructive">{errorMessage(reason)}</p>
              </li>
            ))}
          </ul>
        )}
      </DialogBody>
      <DialogFoot>
        <Button kind={isOver ? 'primary' : 'plain'} onClick={onClose}>
          {isOver ? 'Done' : 'Cancel'}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

/** Uses the items of the first render. Closing aborts items that have not started. */
const useRun = ({ items, act, onOver }: Pick<Props, 'items' | 'act' | 'onOver'>): Progress => {
  const [job] = useState(() => ({ ids: items.map(({ id }) => id), act, onOver }))
  const [progress, setProgress] = useState<Progress>({ done: 0, total: job.ids.length, failures: [] })
  useEffect(() => {
    const leaving = new AbortController()
    // Deferred by a tick: StrictMode mounts twice in development, and the first mount must not act.
    const begin = setTimeout(async () => {
      await inBulk(job.ids, job.act, setProgress, leaving.signal)
      job.onOver()
    })
    return () => {
      clearTimeout(begin)
      leaving.abort()
    }
  }, [job])
  return progress
}
