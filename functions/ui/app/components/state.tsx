import type { TaskStatus } from '../../../../lib/tasks/machine.ts'
import type { TaskFields } from '../../../../lib/tasks/schema.ts'
import { waitingWord } from './waiting.ts'

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

/** It runs, but nothing happens until a person decides. */
const needsApproval = {
  text: 'text-queued',
  dot: 'rotate-45 rounded-[1px] bg-transparent ring-[1.5px] ring-inset ring-queued',
} as const

type Looks = { status: TaskStatus; waitingFor?: TaskFields['waitingFor'] }

const lookOf = ({ status, waitingFor }: Looks): Look =>
  waitingFor === 'approval' ? { ...states[status], ...needsApproval } : states[status]

export const Dot = (props: Looks) => <span className={`size-2 shrink-0 ${lookOf(props).dot}`} />

type StateProps = Looks & {
  word?: string | undefined
  title?: string | undefined
  isBrief?: boolean
}

/** `word` replaces that of the state, or of what the task waits for; `isBrief` hides it on narrow screens. */
export const State = ({ status, waitingFor, word, title, isBrief = false }: StateProps) => {
  const { label, text } = lookOf({ status, waitingFor })
  return (
    <span
      title={title}
      className={`inline-flex min-h-[1lh] shrink-0 items-center gap-1.5 align-top font-medium whitespace-nowrap ${text}`}
    >
      <Dot status={status} waitingFor={waitingFor} />
      <span className={isBrief ? 'max-md:sr-only' : ''}>{word ?? waitingWord({ waitingFor }) ?? label}</span>
    </span>
  )
}
