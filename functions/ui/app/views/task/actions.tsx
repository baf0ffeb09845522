import { useNavigate } from '@tanstack/react-router'
import { Ban, ChevronDown, ChevronUp, ExternalLink, type LucideIcon, Pencil, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { isFinal, nextStatus } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { formatNumber } from '../../components/format.ts'
import { safeLink } from '../../components/link.ts'
import { errorMessage } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { draftFrom } from '../../create/draft.ts'
import { useAway } from '../../data/connection.ts'
import { useNeighbours } from '../../data/neighbours.ts'
import { useCancelTask, useRetryTask } from '../../data/tasks.ts'
import { toThreadId, useThread } from '../../data/threads.ts'
import { useKeys } from '../../shell/keys.ts'
import { overlay } from '../../shell/overlay.ts'
import { OpenPullRequest } from './changes.tsx'

export const Actions = ({ task }: { task: Task }) => {
  const { canCancel, canRetry, isBusy, cancel, retry, edit } = useVerbs(task)
  const away = useAway()
  const href = safeLink(task.sourceUrl)
  const isLocked = isBusy || away !== undefined
  // The question is dropped when the task or its attempt changes.
  const [asked, setAsked] = useState<string>()
  const attempt = `${task.id} ${task.startedAt} ${task.attempts}`
  const waiting = useThread(toThreadId(task)).data?.messages.length ?? 0
  const stop = () => (task.status === 'in_progress' || waiting > 0 ? setAsked(attempt) : cancel())
  useKeys({
    ...(canRetry && !isLocked ? { r: retry } : {}),
    ...(canCancel && !isLocked ? { x: stop } : {}),
    e: edit,
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
      <Button kind="ghost" title="Edit and run as a new task (e)" onClick={edit}>
        <Pencil size={14} /> <span className="max-sm:sr-only">Edit and run again</span>
      </Button>
      {canCancel && (
        <Button kind="danger" title="Cancel (x)" needsService disabled={isBusy} onClick={stop}>
          <Ban size={14} /> Cancel
        </Button>
      )}
      <AskToCancel
        isOpen={asked === attempt && canCancel}
        isRunning={task.status === 'in_progress'}
        waiting={waiting}
        onClose={() => setAsked(undefined)}
        onCancel={cancel}
      />
      {canRetry && (
        <Button title="Run again as a new task (r)" needsService disabled={isBusy} onClick={retry}>
          <RotateCcw size={14} /> Retry
        </Button>
      )}
    </>
  )
}

type AskProps = {
  isOpen: boolean
  isRunning: boolean
  /** The messages that wait for its end. */
  waiting: number
  onClose: () => void
  onCancel: () => void
}

const handedOver = (count: number) =>
  count === 1
    ? '1 message waits: it begins the next turn at once. Cancel that turn too to stop all.'
    : `${formatNumber(count)} messages wait: they begin the next turn at once. Cancel that turn too to stop all.`

const AskToCancel = ({ isOpen, isRunning, waiting, onClose, onCancel }: AskProps) => (
  <Dialog isOpen={isOpen} onClose={onClose} title="Cancel this task?">
    <DialogBody>
      {isRunning && <p>Its agent is stopped. Unpublished work is lost; the log stays.</p>}
      {waiting > 0 && <p>{handedOver(waiting)}</p>}
    </DialogBody>
    <DialogFoot>
      <Button onClick={onClose}>{isRunning ? 'Keep running' : 'Keep task'}</Button>
      <Button
        needsService
        kind="danger"
        onClick={() => {
          onClose()
          onCancel()
        }}
      >
        Cancel task
      </Button>
    </DialogFoot>
  </Dialog>
)

const useVerbs = (task: Task) => {
  const navigate = useNavigate()
  const cancelling = useCancelTask()
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
    else toast.failed('Another task is not sent yet', 'Continue or discard it first, at the top of the page.')
  }
  return {
    canCancel: nextStatus(task.status, 'cancel') !== undefined,
    canRetry: isFinal(task.status),
    isBusy: cancelling.isPending || retrying.isPending,
    cancel: () => cancelling.mutate(task.id, refused('Not cancelled')),
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
  useKeys({ '[': () => show(before), ']': () => show(after) })
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
