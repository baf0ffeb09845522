import { Link } from '@tanstack/react-router'
import { cutText } from '../../../../../lib/core/cut-text.ts'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { formatNumber } from '../../components/format.ts'
import { Refusal } from '../../components/refusal.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { State } from '../../components/state.tsx'
import { type DeadLetter, useNewestPending, useProbe } from '../../data/dead-letters.ts'
import type { FailureGroup } from '../../data/failures.ts'
import { useTask } from '../../data/tasks.ts'

type Props = { group: FailureGroup; onClose: () => void; onRetryOthers: () => void }

/** Retries one task of a group and follows it, to test whether the cause is gone. */
export const Probe = ({ group, onClose, onRetryOthers }: Props) => {
  const { data: letter, error } = useNewestPending(group.fingerprint)
  const { mutate, isPending, data: retried, error: refused } = useProbe()
  if (retried)
    return <Followed taskId={retried.task.id} group={group} onClose={onClose} onRetryOthers={onRetryOthers} />
  return (
    <Dialog isOpen onClose={onClose} title="Retry one task">
      <DialogBody>
        <p>The newest of these tasks runs again with all attempts. The others stay pending.</p>
        <Refusal error={error ?? refused} />
        {letter === undefined && !error && <SkeletonRows count={1} />}
        {letter === null && <p>No pending tasks with this cause.</p>}
        {letter && <p className="truncate font-medium">{letter.title}</p>}
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          needsService
          kind="primary"
          disabled={!letter || isPending}
          onClick={() => mutate((letter as DeadLetter).id)}
        >
          Retry
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

const Followed = ({ taskId, group, onClose, onRetryOthers }: Props & { taskId: string }) => {
  const { data: task } = useTask(taskId)
  const others = Math.max(0, group.pending - 1)
  const isOver = task !== undefined && isFinal(task.status)
  const canGoOn = task?.status === 'completed' && others > 0
  return (
    <Dialog isOpen onClose={onClose} title="Retrying one task">
      <DialogBody>
        <p role="status" className="flex items-center gap-2">
          {task && <State status={task.status} />}
          <Link to="/tasks/$id" params={{ id: taskId }} className="min-w-0 truncate underline">
            {task?.title ?? 'The task'}
          </Link>
        </p>
        {task?.status === 'failed' && (
          <p className="text-destructive [overflow-wrap:anywhere]">
            It failed again: {cutText(task.error?.message ?? '', MOST_SAID)}
          </p>
        )}
        {task?.status === 'completed' && <p>It completed. The cause seems to be fixed.</p>}
        {task?.status === 'cancelled' && <p>It was cancelled.</p>}
        {task && !isOver && <p className="text-muted-foreground">It continues if you close this.</p>}
      </DialogBody>
      <DialogFoot>
        <Button kind={canGoOn ? 'plain' : 'primary'} onClick={onClose}>
          {isOver ? 'Done' : 'Close'}
        </Button>
        {canGoOn && (
          <Button kind="primary" onClick={onRetryOthers}>
            Retry the other {formatNumber(others)}
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  )
}

const MOST_SAID = 300
