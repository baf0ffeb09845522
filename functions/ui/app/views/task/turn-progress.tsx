import { Link } from '@tanstack/react-router'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import type { Task, TaskEvent } from '../../../../../lib/tasks/schema.ts'
import { useNow } from '../../components/now.ts'
import { startOfLine } from '../../components/text-weight.ts'
import { formatDuration } from '../../components/time.ts'
import { useTaskEvents } from '../../data/tasks.ts'

const LINES = 5

/** What a task waits for is said above. */
const isProgress = ({ type, message, metadata }: TaskEvent): boolean =>
  Boolean(message) && type !== 'created' && !String(metadata?.code).startsWith('waiting_for_')

/** The newest lines of the log of a turn that has not ended. */
export const TurnProgress = ({ task }: { task: Task }) => {
  const { data: events } = useTaskEvents(task.id, false)
  const lines = (events ?? []).filter(isProgress).slice(-LINES)
  if (lines.length === 0 && task.status !== 'in_progress') return null
  return (
    <div className="flex min-w-0 flex-wrap items-end gap-x-3 px-3.5 py-3 text-muted-foreground">
      {lines.length === 0 ? (
        <p>No output yet</p>
      ) : (
        <ol aria-label="Latest lines" className="min-w-0 flex-1">
          {lines.map(({ id, message = '' }) => (
            <li key={id} title={startOfLine(message)} className="truncate last:text-foreground">
              {startOfLine(message)}
            </li>
          ))}
        </ol>
      )}
      <Link
        to="/tasks/$id"
        params={{ id: task.id }}
        search={{ tab: 'log' }}
        className="shrink-0 underline underline-offset-2"
      >
        Log
      </Link>
    </div>
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
