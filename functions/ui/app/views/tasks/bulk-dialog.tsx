import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { saysOf } from '../../components/problem.tsx'
import { inBulk, type Progress } from '../../data/bulk.ts'
import { client } from '../../data/client.ts'
import type { TaskRow } from './rows.ts'

const verbs = {
  cancel: {
    title: 'Cancel tasks',
    done: 'cancelled',
    act: (id: string) => client.cancelTask({ params: { id } }),
  },
  retry: {
    title: 'Retry tasks',
    done: 'queued again',
    act: (id: string) => client.retryTask({ params: { id } }),
  },
} as const

export type Verb = keyof typeof verbs
type Props = { verb: Verb; tasks: readonly TaskRow[]; onClose: () => void }

/** Does it to all of them at once, shows how far it is, and lists what was refused and why. */
export const BulkDialog = ({ verb, tasks, onClose }: Props) => {
  const { title, done: past } = verbs[verb]
  const { done, total, failures } = useBulk({ verb, tasks })
  const isOver = done === total
  const titles = new Map(tasks.map((task) => [task.id, task.title]))
  return (
    <Dialog isOpen onClose={onClose} title={title}>
      <DialogBody>
        <progress className="h-1.5 w-full accent-running" value={done} max={total} aria-label={title} />
        <p role="status">
          {isOver ? `${total - failures.length} of ${total} ${past}` : `${done} of ${total}`}
        </p>
        {failures.length > 0 && (
          <ul aria-label="What failed" className="divide-y rounded-md border">
            {failures.map(({ id, reason }) => (
              <li key={id} className="px-3 py-2">
                <p className="truncate font-medium">{titles.get(id)}</p>
                <p className="text-destructive">{saysOf(reason)}</p>
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

/** Begins when it is first shown, with the tasks as they were then; what has not begun when it is closed is left. */
const useBulk = ({ verb, tasks }: Pick<Props, 'verb' | 'tasks'>): Progress => {
  const [job] = useState(() => ({ ids: tasks.map(({ id }) => id), act: verbs[verb].act }))
  const [progress, setProgress] = useState<Progress>({ done: 0, total: job.ids.length, failures: [] })
  const queries = useQueryClient()
  useEffect(() => {
    const leaving = new AbortController()
    // A turn later: React mounts twice in development, and the first of the two must not do anything.
    const begin = setTimeout(async () => {
      await inBulk(job.ids, job.act, setProgress, leaving.signal)
      await queries.invalidateQueries({ queryKey: ['tasks'] })
    })
    return () => {
      clearTimeout(begin)
      leaving.abort()
    }
  }, [job, queries])
  return progress
}
