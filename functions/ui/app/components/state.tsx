import type { TaskStatus } from '../../../../lib/tasks/machine.ts'

type Look = { says: string; text: string; dot: string }

/** How each state of a task looks, everywhere. */
export const states: Readonly<Record<TaskStatus, Look>> = {
  pending: {
    says: 'Pending',
    text: 'text-pending',
    dot: 'bg-transparent ring-[1.5px] ring-inset ring-pending',
  },
  queued: { says: 'Queued', text: 'text-queued', dot: 'bg-queued' },
  in_progress: { says: 'Running', text: 'text-running', dot: 'bg-running animate-pulse' },
  completed: { says: 'Completed', text: 'text-completed', dot: 'bg-completed' },
  failed: { says: 'Failed', text: 'text-failed', dot: 'bg-failed' },
  cancelled: { says: 'Cancelled', text: 'text-cancelled', dot: 'bg-cancelled/60' },
}

/** A state of a task; `isBrief` shows its dot alone on the screen of a phone. */
export const State = ({ status, isBrief = false }: { status: TaskStatus; isBrief?: boolean }) => {
  const { says, text, dot } = states[status]
  return (
    <span
      className={`inline-flex min-h-[1lh] shrink-0 items-center gap-1.5 align-top font-medium whitespace-nowrap ${text}`}
    >
      <span className={`size-2 rounded-full ${dot}`} />
      <span className={isBrief ? 'max-md:sr-only' : ''}>{says}</span>
    </span>
  )
}
