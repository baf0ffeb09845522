import { useNavigate } from '@tanstack/react-router'
import { isFinal, nextStatus } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { Ban, ExternalLink, RotateCcw } from '../../components/icons.tsx'
import { linkOf } from '../../components/link.ts'
import { saysOf } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { useCancelTask, useRetryTask } from '../../data/tasks.ts'

/** What can be done with a task in its state. */
export const Actions = ({ task }: { task: Task }) => {
  const navigate = useNavigate()
  const cancel = useCancelTask()
  const retry = useRetryTask()
  const refused = (title: string) => ({
    onError: (error: unknown) => void toast.failed(title, saysOf(error)),
  })
  const href = linkOf(task.sourceUrl)
  return (
    <>
      {href && (
        <a href={href} target="_blank" rel="noreferrer" className={buttonClass({ kind: 'ghost' })}>
          <ExternalLink size={14} /> Source
        </a>
      )}
      {nextStatus(task.status, 'cancel') && (
        <Button
          kind="danger"
          disabled={cancel.isPending}
          onClick={() => cancel.mutate(task.id, refused('Not cancelled'))}
        >
          <Ban size={14} /> Cancel
        </Button>
      )}
      {isFinal(task.status) && (
        <Button
          disabled={retry.isPending}
          onClick={() =>
            retry.mutate(task.id, {
              ...refused('Not retried'),
              onSuccess: ({ task: next }) => {
                toast.done('Retried as a new task')
                void navigate({ to: '/tasks/$id', params: { id: next.id } })
              },
            })
          }
        >
          <RotateCcw size={14} /> Retry
        </Button>
      )}
    </>
  )
}
