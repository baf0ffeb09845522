import type { TaskStatus } from '../../../../lib/tasks/machine.ts'

type Look = { label: string; text: string; dot: string }

/** The dots differ in shape as well: colour alone is not enough where the word is hidden. */
export const states: Readonly<Record<TaskStatus, Look>> = {
  pending: {
    label: 'Pending',
    text: 'text-pending',
    dot: 'rounded-full bg-transparent ring-[1.5px] ring-inset ring-pending',
  },
  queued: { label: 'Queued', text: 'text-queued', dot: 'rounded-[1px] bg-queued' },
  in_progress: {
    label: 'Running',
    text: 'text-running',
    dot: 'scale-75 rounded-full bg-running ring-2 ring-running/35 animate-pulse',
  },
  completed: { label: 'Completed', text: 'text-completed', dot: 'rounded-full bg-completed' },
  failed: { label: 'Failed', text: 'text-failed', dot: 'rotate-45 rounded-[1px] bg-failed' },
  cancelled: { label: 'Cancelled', text: 'text-cancelled', dot: 'scale-y-35 bg-cancelled' },
}

export const Dot = ({ status }: { status: TaskStatus }) => (
  <span className={`size-2 shrink-0 ${states[status].dot}`} />
)

type StateProps = {
  status: TaskStatus
  word?: string | undefined
  title?: string | undefined
  isBrief?: boolean
}

/** `word` replaces that of the state; `isBrief` hides it on narrow screens. */
export const State = ({ status, word, title, isBrief = false }: StateProps) => {
  const { label, text } = states[status]
  return (
    <span
      title={title}
      className={`inline-flex min-h-[1lh] shrink-0 items-center gap-1.5 align-top font-medium whitespace-nowrap ${text}`}
    >
      <Dot status={status} />
      <span className={isBrief ? 'max-md:sr-only' : ''}>{word ?? label}</span>
    </span>
  )
}
