import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { changeTotals } from '../../../../../lib/core/changed-files.ts'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { AgentName } from '../../components/agent-name.tsx'
import { ChangeSums } from '../../components/change-sums.tsx'
import { Copy } from '../../components/copy.tsx'
import { Cost } from '../../components/cost.tsx'
import { formatNumber } from '../../components/format.ts'
import { useNow } from '../../components/now.ts'
import { Person } from '../../components/person.tsx'
import { priorities } from '../../components/priorities.ts'
import { Tag } from '../../components/tag.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { formatDuration } from '../../components/time.ts'
import { When } from '../../components/when.tsx'
import { awaited } from './awaited.ts'
import { changesOf, filesText } from './changed-files.tsx'

const NORMAL = 3
/** The input has all of them. */
const MOST_LABELS = 6

type Props = { task: Task; usedTokens: number | undefined }

/** What came of it and what it cost, then what it was asked with. */
export const Summary = ({ task, usedTokens }: Props) => (
  <section aria-label="Summary" className="flex flex-col gap-1.5 border-b px-4 pt-2.5 pb-2 md:px-6">
    <Figures task={task} />
    <dl className="flex flex-wrap items-center gap-x-5 gap-y-1">
      <Fact name="Agent">
        <AgentName type={task.agent} />
      </Fact>
      <Origin task={task} />
      {task.attempts > 1 && (
        <Fact name="Attempt">
          {task.attempts} of {task.maxAttempts}
        </Fact>
      )}
      <Runner task={task} />
      <Tokens count={task.usage?.totalTokens ?? usedTokens} />
      <Fact name="By" isForWide>
        <Person id={task.createdBy} />
      </Fact>
      <Fact name="Created" isForWide>
        <When at={task.createdAt} />
      </Fact>
      <Other name="Retry of" id={task.retriedFrom} />
      <Other name="Retried as" id={task.retriedBy} />
      <Fact name="Id" isForWide>
        <span className="-my-1 flex min-w-0 items-center">
          <code className="truncate font-mono text-xs">{task.id}</code>
          <Copy text={task.id} label="Copy the id" />
        </span>
      </Fact>
    </dl>
  </section>
)

const Origin = ({ task: { repository, branch, priority, labels } }: { task: Task }) => (
  <>
    {repository !== undefined && (
      <Fact name="Repository" title={repository}>
        {startOfLine(repository)}
      </Fact>
    )}
    {branch !== undefined && (
      <Fact name="Branch" title={branch}>
        {startOfLine(branch)}
      </Fact>
    )}
    {priority !== NORMAL && <Fact name="Priority">{priorities[priority]}</Fact>}
    {labels.length > 0 && (
      <Fact name="Labels" isForWide>
        <span className="flex flex-wrap gap-1">
          {labels.slice(0, MOST_LABELS).map((label) => (
            <Tag key={label}>{startOfLine(label)}</Tag>
          ))}
          {labels.length > MOST_LABELS && `and ${labels.length - MOST_LABELS} more`}
        </span>
      </Fact>
    )}
  </>
)

const Runner = ({ task: { runner, status } }: { task: Task }) =>
  runner === undefined ? null : (
    <Fact name={isFinal(status) ? 'Ran on' : 'Runs on'}>
      <Link to="/agents" className="underline underline-offset-2">
        {runner}
      </Link>
    </Fact>
  )

const Tokens = ({ count = 0 }: { count: number | undefined }) =>
  count > 0 && (
    <Fact name="Tokens" isForWide>
      {formatNumber(count)}
    </Fact>
  )

type FactProps = {
  name: string
  title?: string
  /** On phones the result comes sooner without it: the prompt, the usage or the JSON says it as well. */
  isForWide?: boolean
  children: ReactNode
}

const Fact = ({ name, title, isForWide = false, children }: FactProps) => (
  <div className={`flex min-w-0 items-baseline gap-1.5 ${isForWide ? 'max-sm:hidden' : ''}`}>
    <dt className="text-muted-foreground">{name}</dt>
    <dd title={title} className="min-w-0 truncate font-medium">
      {children}
    </dd>
  </div>
)

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted-foreground">{name}</dt>
    <dd className="truncate text-xl leading-tight font-semibold">{children}</dd>
  </div>
)

const Figures = ({ task }: { task: Task }) => {
  const changes = changesOf(task.result)
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-1.5 empty:hidden">
      <Present task={task} />
      {task.waitingMs !== undefined && <Figure name="Waited">{formatDuration(task.waitingMs)}</Figure>}
      {task.cost?.usd != null && (
        <Figure name="Cost">
          <Cost cost={task.cost} />
        </Figure>
      )}
      {changes.length > 0 && (
        <Figure name="Changes">
          <Link
            from="/tasks/$id"
            to="."
            search={{ tab: 'changes' }}
            replace
            className="flex items-baseline gap-2 underline-offset-4 hover:underline"
          >
            {filesText(changes.length)} <ChangeSums {...changeTotals(changes)} />
          </Link>
        </Figure>
      )}
    </dl>
  )
}

const Other = ({ name, id }: { name: string; id: string | undefined }) =>
  id && (
    <Fact name={name}>
      <Link to="/tasks/$id" params={{ id }} className="underline underline-offset-2 [overflow-wrap:anywhere]">
        {id}
      </Link>
    </Fact>
  )

/** Renders nothing for an ended task that did not run here. */
const Present = ({ task }: { task: Task }) => {
  const { status, createdAt, queuedAt, startedAt, completedAt, waiting } = task
  const now = useNow(!isFinal(status))
  if (isFinal(status))
    return startedAt && completedAt ? <Figure name="Took">{formatDuration(runTimeMs(task))}</Figure> : null
  if (waiting)
    return (
      <Figure name={`Waiting for ${awaited[waiting.reason]}`}>
        {formatDuration(now - Date.parse(waiting.since))}
      </Figure>
    )
  if (status === 'in_progress' && startedAt)
    return <Figure name="Running">{formatDuration(runTimeMs(task, now))}</Figure>
  return <Figure name="Waiting">{formatDuration(now - Date.parse(queuedAt ?? createdAt))}</Figure>
}
