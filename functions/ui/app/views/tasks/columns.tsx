import { Link } from '@tanstack/react-router'
import { cutText } from '../../../../../lib/core/cut-text.ts'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import { useIsCancelling } from '../../components/cancel-soon.ts'
import { Cost } from '../../components/cost.tsx'
import { type Column, rowLinkClass } from '../../components/data-row.tsx'
import { formatNumber } from '../../components/format.ts'
import { Person } from '../../components/person.tsx'
import { State } from '../../components/state.tsx'
import { Tag } from '../../components/tag.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { formatDuration } from '../../components/time.ts'
import { waitingText, waitingWord } from '../../components/waiting.ts'
import { When } from '../../components/when.tsx'
import { serverNow } from '../../data/server-clock.ts'
import { createStored } from '../../data/stored.ts'
import type { TaskRow } from './rows.ts'

const priorities = {
  1: <span className="font-medium text-failed">Critical</span>,
  2: <span className="font-medium">High</span>,
  3: <span className="text-muted-foreground">Normal</span>,
  4: <span className="text-muted-foreground">Low</span>,
} as const

const Title = (task: TaskRow) => (
  <>
    <FirstLine {...task} />
    <SecondLine {...task} />
  </>
)

const FirstLine = ({ id, title, repository, labels }: TaskRow) => (
  <span className="flex min-w-0 items-center gap-2">
    <Link to="/tasks/$id" params={{ id }} data-row-link className={`truncate font-medium ${rowLinkClass}`}>
      {startOfLine(title)}
    </Link>
    {repository && (
      <span className="truncate text-muted-foreground max-lg:hidden">{startOfLine(repository)}</span>
    )}
    {labels.slice(0, 2).map((label) => (
      <span key={label} className="shrink-0 max-lg:hidden">
        <Tag>{cutText(label, 24)}</Tag>
      </span>
    ))}
  </span>
)

/** On phones: why it waits or failed, else its agent and how long it took; and what it cost. */
const SecondLine = (task: TaskRow) => (
  <span className="flex min-w-0 gap-2 text-xs text-muted-foreground md:hidden">
    <Reason {...task} />
    {task.cost && (
      <span className="ml-auto shrink-0">
        <Cost cost={task.cost} />
      </span>
    )}
  </span>
)

const Reason = (task: TaskRow) => {
  const waits = waitingText(task, serverNow())
  if (waits) return <span className="truncate text-queued">{waits}</span>
  if (task.error && task.status === 'failed')
    return <span className="truncate text-destructive">{startOfLine(task.error.message)}</span>
  const took = task.completedAt && task.startedAt ? ` · ${formatDuration(runTimeMs(task))}` : ''
  return (
    <span className="truncate">
      {task.agent}
      {took}
    </span>
  )
}

/** From first start to end, without time spent waiting for approval. */
const Took = (task: TaskRow) => (task.startedAt && task.completedAt ? formatDuration(runTimeMs(task)) : '–')

const TaskState = ({ task }: { task: TaskRow }) => {
  const isCancelling = useIsCancelling(task.id)
  const word = isCancelling ? 'Cancelling' : waitingWord(task)
  return <State status={task.status} word={word} title={waitingText(task, serverNow())} isBrief />
}

const quiet = 'text-muted-foreground'
const time = (at: string | undefined) => <When at={at} className={`relative z-1 ${quiet}`} />

const columns: readonly Column<TaskRow>[] = [
  {
    id: 'status',
    header: 'State',
    sortBy: 'status',
    width: '7.5rem',
    narrow: '0.75rem',
    cell: (task) => <TaskState task={task} />,
  },
  { id: 'title', header: 'Task', sortBy: 'title', width: 'minmax(0, 1fr)', cell: Title },
  {
    id: 'priority',
    header: 'Priority',
    sortBy: 'priority',
    width: '4.5rem',
    narrow: null,
    cell: ({ priority }) => priorities[priority],
  },
  { id: 'agent', header: 'Agent', width: '8rem', narrow: null, cell: ({ agent }) => agent },
  {
    id: 'attempts',
    header: 'Attempts',
    width: '4.5rem',
    narrow: null,
    cell: ({ attempts, maxAttempts }) => (
      <span className={attempts > 1 ? '' : 'text-muted-foreground'}>
        {attempts}/{maxAttempts}
      </span>
    ),
  },
  {
    id: 'took',
    header: 'Took',
    width: '5rem',
    narrow: null,
    cell: (row) => (
      <span className="text-muted-foreground">
        <Took {...row} />
      </span>
    ),
  },
  {
    id: 'cost',
    header: 'Cost',
    width: '4.5rem',
    narrow: null,
    cell: ({ cost }) => (cost ? <Cost cost={cost} /> : <span className={quiet}>–</span>),
  },
  {
    id: 'tokens',
    header: 'Tokens',
    width: '5rem',
    narrow: null,
    cell: ({ usage }) => <span className={quiet}>{usage ? formatNumber(usage.totalTokens) : '–'}</span>,
  },
  {
    id: 'source',
    header: 'Source',
    width: '6rem',
    narrow: null,
    cell: ({ source, sourceId }) => (sourceId ? `${source} ${sourceId}` : source),
  },
  {
    id: 'creator',
    header: 'By',
    width: '8rem',
    narrow: null,
    cell: ({ createdBy }) => <Person id={createdBy} />,
  },
  {
    id: 'updated',
    header: 'Updated',
    sortBy: 'updatedAt',
    width: '5.5rem',
    narrow: null,
    cell: ({ updatedAt }) => time(updatedAt),
  },
  {
    id: 'ended',
    header: 'Ended',
    sortBy: 'completedAt',
    width: '5.5rem',
    narrow: null,
    cell: ({ completedAt }) => time(completedAt),
  },
  {
    id: 'created',
    header: 'Created',
    sortBy: 'createdAt',
    width: '5.5rem',
    narrow: '4rem',
    cell: ({ createdAt }) => time(createdAt),
  },
]

const FIXED = ['status', 'title']
const AT_FIRST = ['priority', 'agent', 'attempts', 'took', 'cost', 'created']

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

export const chosenColumns = createStored<readonly string[]>('task-columns', AT_FIRST, isNames)

export const columnChoices = columns.filter(({ id }) => !FIXED.includes(id))

export const useColumns = (): readonly Column<TaskRow>[] => {
  const chosen = chosenColumns.use()
  return columns.filter(({ id }) => FIXED.includes(id) || chosen.includes(id))
}
