import { Link } from '@tanstack/react-router'
import { cutText } from '../../../../../lib/core/cut-text.ts'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import { AgentName } from '../../components/agent-name.tsx'
import { Cost } from '../../components/cost.tsx'
import { rowLinkClass } from '../../components/data-row.tsx'
import { FoundIn, isFoundElsewhere } from '../../components/found-in.tsx'
import { Tag } from '../../components/tag.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { formatDuration } from '../../components/time.ts'
import { hasReason, hasReasonLine, Place, Reason } from './reason.tsx'
import type { TaskRow } from './rows.ts'

export const priorities = {
  1: <span className="font-medium text-failed">Critical</span>,
  2: <span className="font-medium">High</span>,
  3: null,
  4: <span className="text-muted-foreground">Low</span>,
} as const

/** What is shown beside the title, unless it has a column. */
type Beside = { priority: boolean; attempts: boolean; repository: boolean; error: boolean }

type Props = {
  task: TaskRow
  beside: Beside
  /** The search of the list. */
  words: string
}

export const Title = (props: Props) => (
  <>
    <FirstLine {...props} />
    <SecondLine {...props} />
  </>
)

const FirstLine = ({ task, beside }: Props) => {
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
      {task.waitingFor === 'slot' && (
        <span className="shrink-0 max-md:hidden">
          <Place task={task} />
        </span>
      )}
      <span className={extrasClass}>
        {beside.repository && repository && (
          <span className="text-muted-foreground">{startOfLine(repository)}</span>
        )}
        {labels.slice(0, 2).map((label) => (
          <Tag key={label}>{cutText(label, 24)}</Tag>
        ))}
      </span>
    </span>
  )
}

/** What the title leaves room for is shown whole, the rest not at all: it wraps to lines that are cut off. */
const extrasClass = 'flex h-5 min-w-0 flex-1 flex-wrap items-center gap-2 overflow-hidden max-lg:hidden'

/** Whether a row says more than its title and its columns: where it was found, or why it waits or failed. */
export const hasSecondLine = (task: TaskRow, isErrorInColumn: boolean): boolean =>
  isFoundElsewhere(task.match) || (hasReasonLine(task) && !(task.status === 'failed' && isErrorInColumn))

/** On phones also what it cost, and where there is nothing to say its agent and how long it took. */
const SecondLine = ({ task, beside, words }: Props) => {
  const { match } = task
  return (
    <span
      className={`flex min-w-0 gap-2 text-xs text-muted-foreground ${hasSecondLine(task, !beside.error) ? '' : 'md:hidden'}`}
    >
      {isFoundElsewhere(match) ? <FoundIn match={match} words={words} /> : <WhyOrRun task={task} />}
      {task.cost?.usd != null && (
        <span className="ml-auto shrink-0 md:hidden">
          <Cost cost={task.cost} />
        </span>
      )}
    </span>
  )
}

const WhyOrRun = ({ task }: { task: TaskRow }) =>
  hasReason(task) ? <Reason task={task} /> : <RunText {...task} />

const RunText = (task: TaskRow) => {
  const took = task.completedAt && task.startedAt ? ` · ${formatDuration(runTimeMs(task))}` : ''
  return (
    <span className="truncate">
      <AgentName type={task.agent} />
      {took}
    </span>
  )
}
