import { useEffect, useState } from 'react'
import { inBulk, type Progress } from '../data/bulk.ts'
import { Button } from './button.tsx'
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx'
import { errorMessage } from './problem.tsx'
import { ProgressBar } from './progress-bar.tsx'

export type BulkJob = {
  title: string
  /** What those that went well are now: `queued again`. */
  past: string
  items: readonly { id: string; title: string }[]
  act: (id: string) => Promise<unknown>
}
type Props = BulkJob & {
  /** After the last of them, failed or not. */
  onOver: () => unknown
  onClose: () => void
}

/** Does the same to many, shows how far it is, and lists what was refused and why. */
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
          {isOver ? 'Done' : 'Stop'}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

/** Begins when it is first shown, with what there was then; what has not begun when it is closed is left. */
const useRun = ({ items, act, onOver }: Pick<Props, 'items' | 'act' | 'onOver'>): Progress => {
  const [job] = useState(() => ({ ids: items.map(({ id }) => id), act, onOver }))
  const [progress, setProgress] = useState<Progress>({ done: 0, total: job.ids.length, failures: [] })
  useEffect(() => {
    const leaving = new AbortController()
    // A turn later: React mounts twice in development, and the first of the two must not do anything.
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
