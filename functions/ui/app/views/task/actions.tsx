import { useNavigate } from '@tanstack/react-router'
import {
  Ban,
  ChevronDown,
  ChevronUp,
  Ellipsis,
  ExternalLink,
  GitPullRequest,
  type LucideIcon,
  Pencil,
  RotateCcw,
} from 'lucide-react'
import { isFinal, nextStatus } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { cancelSoon, useIsCancelling } from '../../components/cancel-soon.ts'
import { formatNumber } from '../../components/format.ts'
import { safeLink } from '../../components/link.ts'
import { Popover, PopoverClose } from '../../components/popover.tsx'
import { pullRequestLink } from '../../components/published.ts'
import { retryTask, useIsRetrying } from '../../components/retry-task.ts'
import { useAway } from '../../data/connection.ts'
import { useNeighbours } from '../../data/neighbours.ts'
import { toThreadId, useThread } from '../../data/threads.ts'
import { editAgain } from '../../shell/edit-again.ts'
import { type KeyName, writtenKey } from '../../shell/key-table.ts'
import { useKeys } from '../../shell/keys.ts'

/** One verb leads on from each state: what failed is retried, and what is done is taken. The rest is in a menu. */
export const Actions = ({ task }: { task: Task }) => {
  const { canCancel, canRetry, isBusy, retry, edit } = useVerbs(task)
  const away = useAway()
  const waiting = useThread(toThreadId(task)).data?.messages.length ?? 0
  const isCancelling = useIsCancelling(task.id)
  const stop = () => cancelSoon(task, waiting > 0 ? handedOver(waiting) : undefined)
  const isLocked = isBusy || away !== undefined
  const isDone = task.status === 'completed'
  useKeys({
    ...(canRetry && !isLocked ? { retry } : {}),
    ...(canCancel && !isLocked && !isCancelling ? { cancel: stop } : {}),
    edit,
  })
  return (
    <>
      <Neighbours id={task.id} />
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
      <OpenPullRequest task={task} kind={isDone ? 'primary' : 'plain'} />
      {canRetry && !isDone && (
        <Button
          kind={task.status === 'failed' ? 'primary' : 'plain'}
          title={`Retry as a new task (${writtenKey('retry')})`}
          needsService
          disabled={isBusy}
          onClick={retry}
        >
          <RotateCcw size={14} /> Retry
        </Button>
      )}
      <MoreActions
        edit={edit}
        retry={isDone ? retry : undefined}
        isLocked={isLocked}
        source={safeLink(task.sourceUrl)}
      />
    </>
  )
}

/** Renders nothing where no branch was pushed. */
const OpenPullRequest = ({ task, kind }: { task: Task; kind: 'primary' | 'plain' }) => {
  const link = pullRequestLink(task)
  if (link === undefined) return null
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer" className={buttonClass({ kind })}>
      <GitPullRequest size={14} aria-hidden /> {link.label}
    </a>
  )
}

type MoreProps = {
  edit: () => void
  /** Of a completed task: it runs everything again, which costs again. */
  retry: (() => void) | undefined
  isLocked: boolean
  source: string | undefined
}

const MoreActions = ({ edit, retry, isLocked, source }: MoreProps) => (
  <Popover
    label="More actions"
    trigger={
      <Button kind="ghost" size="icon" aria-label="More actions" title="More actions">
        <Ellipsis size={16} />
      </Button>
    }
  >
    <div className="flex flex-col items-stretch p-1.5">
      <PopoverClose className={buttonClass({ kind: 'ghost' })} onClick={edit}>
        <Pencil size={14} /> Edit and run again <Key name="edit" />
      </PopoverClose>
      {retry && (
        <PopoverClose className={buttonClass({ kind: 'ghost' })} disabled={isLocked} onClick={retry}>
          <RotateCcw size={14} /> Retry <Key name="retry" />
        </PopoverClose>
      )}
      {source && (
        <a href={source} target="_blank" rel="noreferrer" className={buttonClass({ kind: 'ghost' })}>
          <ExternalLink size={14} /> Open the source
        </a>
      )}
    </div>
  </Popover>
)

const Key = ({ name }: { name: KeyName }) => (
  <kbd className="ml-auto font-sans text-xs text-muted-foreground max-md:hidden">{writtenKey(name)}</kbd>
)

const handedOver = (count: number) =>
  count === 1
    ? '1 waiting message starts the next turn now. To stop the thread, cancel that turn too.'
    : `${formatNumber(count)} waiting messages start the next turn now. To stop the thread, cancel that turn too.`

const useVerbs = (task: Task) => {
  const navigate = useNavigate()
  const retry = async () => {
    const { pathname } = location
    const next = await retryTask(task)
    // The user may have gone elsewhere meanwhile.
    if (next && location.pathname === pathname) await navigate({ to: '/tasks/$id', params: { id: next.id } })
  }
  return {
    canCancel: nextStatus(task.status, 'cancel') !== undefined,
    canRetry: isFinal(task.status),
    isBusy: useIsRetrying(task.id),
    retry,
    edit: () => editAgain(task),
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
        name="Previous task in the list"
        shortcut="["
        isThere={before !== undefined}
        onClick={() => show(before)}
      />
      <Neighbour
        icon={ChevronDown}
        name="Next task in the list"
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
