import { Link } from '@tanstack/react-router'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { useNow } from '../../components/now.ts'
import { startOfLine } from '../../components/text-weight.ts'
import { formatDuration } from '../../components/time.ts'
import { useTaskEvents } from '../../data/tasks.ts'

/** The newest line of the log of a turn that has not ended. */
export const TurnProgress = ({ task }: { task: Task }) => {
  const { data: events } = useTaskEvents(task.id, false)
  const last = events?.findLast(({ message }) => message)?.message
  return (
    <p className="flex min-w-0 items-baseline gap-2 px-3.5 py-3 text-muted-foreground">
      <span className="min-w-0 truncate" title={last}>
        {last ? startOfLine(last) : 'Nothing reported yet'}
      </span>
      <Link
        to="/tasks/$id"
        params={{ id: task.id }}
        search={{ tab: 'log' }}
        className="shrink-0 underline underline-offset-2"
      >
        Log
      </Link>
    </p>
  )
}

/** How long it ran; counts while it runs. */
export const Took = ({ task }: { task: Task }) => {
  const { startedAt, completedAt, status } = task
  const isRunning = status === 'in_progress'
  const now = useNow(isRunning)
  if (startedAt === undefined || (completedAt === undefined && !isRunning)) return null
  return formatDuration(isRunning ? runTimeMs(task, now) : runTimeMs(task))
}
