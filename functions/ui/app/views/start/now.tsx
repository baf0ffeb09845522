import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import type { TaskFields } from '../../../../../lib/tasks/schema.ts'
import { formatNumber } from '../../components/format.ts'
import { useNow } from '../../components/now.ts'
import { State } from '../../components/state.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { formatDuration } from '../../components/time.ts'
import { waitBesideState } from '../../components/waiting.ts'
import { useInboxCounts } from '../../data/inbox.ts'
import { useActiveTasks } from '../../data/tasks.ts'

/** Of the running tasks and what needs the user; one line counts the rest. */
const MOST_LINES = 4

const row = 'flex min-w-0 items-center gap-3 px-3.5 py-2 hover:bg-muted'

/** What needs the user, then what runs, in five lines at most; nothing where there is neither. */
export const Now = () => {
  const { data: active } = useActiveTasks()
  const { open = 0, ofKind } = useInboxCounts() ?? {}
  const approvals = ofKind?.approval ?? 0
  const others = open - approvals
  const queued = active?.queued.total ?? 0
  const needs = [
    approvals > 0 && (
      <Need key="approvals">
        {approvals === 1 ? '1 tool call waits' : `${formatNumber(approvals)} tool calls wait`} for approval
      </Need>
    ),
    others > 0 && (
      <Need key="others">{others === 1 ? '1 item' : `${formatNumber(others)} items`} in your inbox</Need>
    ),
  ].filter(Boolean)
  const running = active?.running.tasks.slice(0, MOST_LINES - needs.length) ?? []
  const more = (active?.running.total ?? 0) - running.length
  const rest = [
    more > 0 && `${formatNumber(more)} more running`,
    queued > 0 && `${formatNumber(queued)} queued`,
  ]
  const restText = rest.filter(Boolean).join(', ')
  if (needs.length + running.length === 0 && restText === '') return null
  return (
    <section aria-label="Now" className="flex flex-col gap-1.5">
      <h2 className="text-xs font-medium text-muted-foreground">Now</h2>
      <ul className="divide-y rounded-lg border bg-card">
        {needs}
        {running.map((task) => (
          <li key={task.id}>
            <Running task={task} />
          </li>
        ))}
        {restText !== '' && (
          <li>
            <Link
              to="/tasks"
              search={{ status: 'in_progress,queued' }}
              className={`${row} text-muted-foreground`}
            >
              {restText}
            </Link>
          </li>
        )}
      </ul>
    </section>
  )
}

const Need = ({ children }: { children: ReactNode }) => (
  <li>
    <Link to="/inbox" className={`${row} font-medium`}>
      <span className="min-w-0 flex-1">{children}</span>
      <ChevronRight size={14} className="shrink-0 text-muted-foreground" />
    </Link>
  </li>
)

const Running = ({ task }: { task: TaskFields }) => {
  const now = useNow(true)
  const { id, title, status, startedAt } = task
  return (
    <Link to="/tasks/$id" params={{ id }} className={row}>
      {status && <State status={status} waitingFor={task.waitingFor} isBrief />}
      <span className="min-w-0 flex-1 truncate">{startOfLine(title ?? '')}</span>
      <span className="shrink-0 text-muted-foreground tabular-nums">
        {task.waitingFor ? waitBesideState(task, now) : startedAt && formatDuration(runTimeMs(task, now))}
      </span>
    </Link>
  )
}
