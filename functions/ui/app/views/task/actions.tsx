import { useNavigate } from '@tanstack/react-router'
import { Ban, ChevronDown, ChevronUp, ExternalLink, type LucideIcon, Pencil, RotateCcw } from 'lucide-react'
import { isFinal, nextStatus } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { cancelSoon, useIsCancelling } from '../../components/cancel-soon.ts'
import { formatNumber } from '../../components/format.ts'
import { safeLink } from '../../components/link.ts'
import { errorMessage } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { draftFrom } from '../../create/draft.ts'
import { useAway } from '../../data/connection.ts'
import { useNeighbours } from '../../data/neighbours.ts'
import { useRetryTask } from '../../data/tasks.ts'
import { toThreadId, useThread } from '../../data/threads.ts'
import { writtenKey } from '../../shell/key-table.ts'
import { useKeys } from '../../shell/keys.ts'
import { overlay } from '../../shell/overlay.ts'
import { OpenPullRequest } from './changes.tsx'

export const Actions = ({ task }: { task: Task }) => {
  const { canCancel, canRetry, isBusy, retry, edit } = useVerbs(task)
  const away = useAway()
  const href = safeLink(task.sourceUrl)
  const isLocked = isBusy || away !== undefined
  const waiting = useThread(toThreadId(task)).data?.messages.length ?? 0
  const isCancelling = useIsCancelling(task.id)
  const stop = () => cancelSoon(task, waiting > 0 ? handedOver(waiting) : undefined)
  useKeys({
    ...(canRetry && !isLocked ? { retry } : {}),
    ...(canCancel && !isLocked && !isCancelling ? { cancel: stop } : {}),
    edit,
  })
  return (
    <>
      <Neighbours id={task.id} />
      {href && (
        <a href={href} target="_blank" rel="noreferrer" className={buttonClass({ kind: 'ghost' })}>
          <ExternalLink size={14} /> <span className="max-sm:sr-only">Source</span>
        </a>
      )}
      <OpenPullRequest task={task} />
      <Button kind="ghost" title={`Edit and run again as a new task (${writtenKey('edit')})`} onClick={edit}>
        <Pencil size={14} /> <span className="max-sm:sr-only">Edit and run again</span>
      </Button>
      {canCancel && (
        <Button
          kind="danger"
          title={`Cancel (${writtenKey('cancel')})`}
          needsService
          disabled={isBusy || isCancelling}
          onClick={stop}
        >
          <Ban size={14} /> {isCancelling ? 'Cancelling…' : 'Cancel'}
        </Button>
      )}
      {canRetry && (
        <Button
          title={`Retry as a new task (${writtenKey('retry')})`}
          needsService
          disabled={isBusy}
          onClick={retry}
        >
          <RotateCcw size={14} /> Retry
        </Button>
      )}
    </>
  )
}

const handedOver = (count: number) =>
  count === 1
    ? '1 waiting message starts the next turn now. To stop the thread, cancel that turn too.'
    : `${formatNumber(count)} waiting messages start the next turn now. To stop the thread, cancel that turn too.`

const useVerbs = (task: Task) => {
  const navigate = useNavigate()
  const retrying = useRetryTask()
  const refused = (title: string) => ({
    onError: (error: unknown) => void toast.failed(title, errorMessage(error)),
  })
  const retry = () =>
    retrying.mutate(task.id, {
      ...refused('Not retried'),
      onSuccess: ({ task: next }) => {
        toast.done('Retried as a new task')
        void navigate({ to: '/tasks/$id', params: { id: next.id } })
      },
    })
  const edit = () => {
    if (draftFrom(task)) overlay.set('again')
    else toast.failed('You have an unsent task', 'Continue or discard it first, at the top of the page.')
  }
  return {
    canCancel: nextStatus(task.status, 'cancel') !== undefined,
    canRetry: isFinal(task.status),
    isBusy: retrying.isPending,
    retry,
    edit,
  }
}

/** Previous and next task. `replace` keeps Back leading to the list. */
const Neighbours = ({ id }: { id: string }) => {
  const navigate = useNavigate()
  const { before, after } = useNeighbours(id)
  const show = (to: string | undefined) => {
    if (to === undefined) return
    void navigate({ to: '/tasks/$id', params: { id: to }, search: (now: object) => now, replace: true })
  }
  useKeys({ before: () => show(before), after: () => show(after) })
  if (before === undefined && after === undefined) return null
  return (
    <span className="flex">
      <Neighbour
        icon={ChevronUp}
        name="Previous task of the list"
        shortcut="["
        isThere={before !== undefined}
        onClick={() => show(before)}
      />
      <Neighbour
        icon={ChevronDown}
        name="Next task of the list"
        shortcut="]"
        isThere={after !== undefined}
        onClick={() => show(after)}
      />
    </span>
  )
}

type NeighbourProps = {
  icon: LucideIcon
  name: string
  shortcut: string
  isThere: boolean
  onClick: () => void
}
const Neighbour = ({ icon: Icon, name, shortcut, isThere, onClick }: NeighbourProps) => (
  <Button
    kind="ghost"
    size="icon"
    aria-label={name}
    title={`${name} (${shortcut})`}
    disabled={!isThere}
    onClick={onClick}
  >
    <Icon size={15} />
  </Button>
)
