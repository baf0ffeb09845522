import { useCallback, useMemo } from 'react'
import { AgentName } from '../../components/agent-name.tsx'
import { useIsCancelling } from '../../components/cancel-soon.ts'
import { Cost } from '../../components/cost.tsx'
import type { Column } from '../../components/data-row.tsx'
import { formatNumber } from '../../components/format.ts'
import { httpsLink } from '../../components/link.ts'
import { Person } from '../../components/person.tsx'
import { sourceName } from '../../components/source-name.ts'
import { State } from '../../components/state.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { waitingText } from '../../components/waiting.ts'
import { When } from '../../components/when.tsx'
import { useUsualRuns } from '../../data/analytics.ts'
import { useHasPeople } from '../../data/people.ts'
import { serverNow } from '../../data/server-clock.ts'
import { createStored } from '../../data/stored.ts'
import { Elapsed } from './elapsed.tsx'
import { ErrorText } from './reason.tsx'
import type { TaskRow } from './rows.ts'
import { hasSecondLine, priorities, Title } from './title.tsx'

const PullRequest = ({ result }: TaskRow) => {
  const published = result?.published as { pullRequest?: { url?: unknown; number?: unknown } } | undefined
  const { url, number } = published?.pullRequest ?? {}
  const href = httpsLink(url)
  if (href === undefined) return null
  return (
    <a href={href} target="_blank" rel="noreferrer" className="relative z-1 underline underline-offset-2">
      {typeof number === 'number' ? `#${number}` : 'PR'}
    </a>
  )
}

const TaskState = ({ task }: { task: TaskRow }) => {
  const isCancelling = useIsCancelling(task.id)
  const { status, waitingFor } = task
  const word = isCancelling ? 'Cancelling' : undefined
  return (
    <State
      status={status}
      waitingFor={waitingFor}
      word={word}
      title={waitingText(task, serverNow())}
      isBrief
    />
  )
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
  {
    id: 'error',
    header: 'Error',
    width: 'minmax(0, 0.8fr)',
    narrow: null,
    cell: ({ status, error }) => status === 'failed' && <ErrorText error={error} />,
  },
  {
    id: 'priority',
    header: 'Priority',
    sortBy: 'priority',
    width: '4.5rem',
    narrow: null,
    cell: ({ priority }) => priorities[priority],
  },
  {
    id: 'agent',
    header: 'Agent',
    width: '8rem',
    narrow: null,
    cell: ({ agent }) => <AgentName type={agent} />,
  },
  {
    id: 'attempts',
    header: 'Attempts',
    width: '4.5rem',
    narrow: null,
    cell: ({ attempts, maxAttempts }) => attempts > 1 && `${attempts}/${maxAttempts}`,
  },
  {
    id: 'repository',
    header: 'Repository',
    width: '9rem',
    narrow: null,
    cell: ({ repository }) => repository && <span title={repository}>{startOfLine(repository)}</span>,
  },
  {
    id: 'branch',
    header: 'Branch',
    width: '8rem',
    narrow: null,
    cell: ({ branch }) => branch && <span title={branch}>{startOfLine(branch)}</span>,
  },
  { id: 'pr', header: 'PR', width: '3.5rem', narrow: null, cell: PullRequest },
  {
    id: 'cost',
    header: 'Cost',
    width: '4.5rem',
    narrow: null,
    cell: ({ cost }) => cost?.usd != null && <Cost cost={cost} />,
  },
  {
    id: 'tokens',
    header: 'Tokens',
    width: '5rem',
    narrow: null,
    cell: ({ usage }) => usage && <span className={quiet}>{formatNumber(usage.totalTokens)}</span>,
  },
  {
    id: 'source',
    header: 'Source',
    width: '6rem',
    narrow: null,
    cell: ({ source, sourceId }) => [sourceName(source), sourceId].filter(Boolean).join(' '),
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

const byId = new Map(columns.map((column) => [column.id, column]))

/** Those that depend on what else is shown, or on the agents. */
const COMPUTED = { title: 'Task', took: 'Time' } as const

const FIXED = ['status', 'title']
const ORDER = [
  ...[
    'status',
    'title',
    'error',
    'priority',
    'repository',
    'branch',
    'agent',
    'attempts',
    'took',
    'cost',
    'pr',
  ],
  ...['tokens', 'source', 'creator', 'updated', 'ended', 'created'],
]
const AT_FIRST: readonly string[] = ['agent', 'took', 'cost', 'pr', 'created']

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

export const chosenColumns = createStored<readonly string[]>('task-columns', AT_FIRST, isNames)

/** Until a user chooses, who created a task is shown where there are accounts. */
export const useChosen = (): readonly string[] => {
  const chosen = chosenColumns.use()
  const hasPeople = useHasPeople()
  return useMemo(
    () => (chosen === AT_FIRST && hasPeople ? [...AT_FIRST, 'creator'] : chosen),
    [chosen, hasPeople],
  )
}

export const columnChoices = ORDER.filter((id) => !FIXED.includes(id)).map((id) => ({
  id,
  header: id === 'took' ? COMPUTED.took : (byId.get(id)?.header ?? id),
}))

/** `words` are those of the search. */
export const useColumns = (words: string): readonly Column<TaskRow>[] => {
  const chosen = useChosen()
  const usual = useUsualRuns()
  return useMemo(() => {
    const has = (id: string) => chosen.includes(id)
    const beside = {
      priority: !has('priority'),
      attempts: !has('attempts'),
      repository: !has('repository'),
      error: !has('error'),
    }
    const computed: readonly Column<TaskRow>[] = [
      {
        id: 'title',
        header: COMPUTED.title,
        sortBy: 'title',
        width: 'minmax(0, 1fr)',
        cell: (task) => <Title task={task} beside={beside} words={words} />,
      },
      {
        id: 'took',
        header: COMPUTED.took,
        width: '5rem',
        narrow: null,
        cell: (task) => <Elapsed task={task} usual={usual} />,
      },
    ]
    const all = new Map([...byId, ...computed.map((column) => [column.id, column] as const)])
    return ORDER.flatMap((id) => (FIXED.includes(id) || has(id) ? (all.get(id) ?? []) : []))
  }, [chosen, usual, words])
}

/** Whether a row has a second line on wide screens too. */
export const useHasTwoLines = () => {
  const isErrorInColumn = useChosen().includes('error')
  return useCallback((task: TaskRow) => hasSecondLine(task, isErrorInColumn), [isErrorInColumn])
}
