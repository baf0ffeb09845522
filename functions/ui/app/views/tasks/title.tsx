import { Link } from '@tanstack/react-router'
import { cutText } from '../../../../../lib/core/cut-text.ts'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import { Cost } from '../../components/cost.tsx'
import { rowLinkClass } from '../../components/data-row.tsx'
import { Tag } from '../../components/tag.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { formatDuration } from '../../components/time.ts'
import { hasReason, Reason } from './reason.tsx'
import type { TaskRow } from './rows.ts'

export const priorities = {
  1: <span className="font-medium text-failed">Critical</span>,
  2: <span className="font-medium">High</span>,
  3: null,
  4: <span className="text-muted-foreground">Low</span>,
} as const

/** What is shown beside the title, unless it has a column. */
type Beside = { priority: boolean; attempts: boolean; repository: boolean; error: boolean }

export const Title = ({ task, beside }: { task: TaskRow; beside: Beside }) => (
  <>
    <FirstLine task={task} beside={beside} />
    <SecondLine task={task} beside={beside} />
  </>
)

const FirstLine = ({ task, beside }: { task: TaskRow; beside: Beside }) => {
  const { id, title, repository, labels, priority, attempts, maxAttempts } = task
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Link to="/tasks/$id" params={{ id }} data-row-link className={`truncate font-medium ${rowLinkClass}`}>
        {startOfLine(title)}
      </Link>
      {beside.priority && priorities[priority] && (
        <span className="shrink-0 text-xs">{priorities[priority]}</span>
      )}
      {beside.attempts && attempts > 1 && (
        <span
          className="shrink-0 text-xs text-muted-foreground max-lg:hidden"
          title={`Attempt ${attempts} of ${maxAttempts}`}
        >
          {attempts}/{maxAttempts}
        </span>
      )}
      {beside.repository && repository && (
        <span className="truncate text-muted-foreground max-lg:hidden">{startOfLine(repository)}</span>
      )}
      {labels.slice(0, 2).map((label) => (
        <span key={label} className="shrink-0 max-lg:hidden">
          <Tag>{cutText(label, 24)}</Tag>
        </span>
      ))}
    </span>
  )
}

/** Why it waits or failed; on phones else its agent and how long it took, and what it cost. */
const SecondLine = ({ task, beside }: { task: TaskRow; beside: Beside }) => {
  const isWhy = hasReason(task)
  const isInColumn = task.status === 'failed' && !beside.error
  return (
    <span
      className={`flex min-w-0 gap-2 text-xs text-muted-foreground ${isWhy && !isInColumn ? '' : 'md:hidden'}`}
    >
      {isWhy ? <Reason task={task} /> : <RunText {...task} />}
      {task.cost && (
        <span className="ml-auto shrink-0 md:hidden">
          <Cost cost={task.cost} />
        </span>
      )}
    </span>
  )
}

const RunText = (task: TaskRow) => {
  const took = task.completedAt && task.startedAt ? ` · ${formatDuration(runTimeMs(task))}` : ''
  return (
    <span className="truncate">
      {task.agent}
      {took}
    </span>
  )
}
