import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Copy } from '../../components/copy.tsx'
import { Cost } from '../../components/cost.tsx'
import { formatNumber } from '../../components/format.ts'
import { useNow } from '../../components/now.ts'
import { Person } from '../../components/person.tsx'
import { formatDuration } from '../../components/time.ts'
import { When } from '../../components/when.tsx'
import { awaited } from './awaited.ts'

export const Summary = ({ task, usedTokens }: { task: Task; usedTokens: number | undefined }) => {
  const tokens = task.usage?.totalTokens ?? usedTokens
  return (
    <dl
      aria-label="Summary"
      className="flex shrink-0 flex-wrap items-center gap-x-5 gap-y-1 border-b px-4 py-1.5 md:px-6"
    >
      <Elapsed task={task} />
      {task.attempts > 0 && (
        <Fact name="Attempt">
          {task.attempts} of {task.maxAttempts}
        </Fact>
      )}
      {task.runner !== undefined && (
        <Fact name={isFinal(task.status) ? 'Ran on' : 'Runs on'}>
          <Link to="/agents" className="underline underline-offset-2">
            {task.runner}
          </Link>
        </Fact>
      )}
      {tokens !== undefined && tokens > 0 && <Fact name="Tokens">{formatNumber(tokens)}</Fact>}
      {task.cost && (
        <Fact name="Cost">
          <Cost cost={task.cost} />
        </Fact>
      )}
      <Fact name="By">
        <Person id={task.createdBy} />
      </Fact>
      <Fact name="Created">
        <When at={task.createdAt} />
      </Fact>
      <Other name="Retry of" id={task.retriedFrom} />
      <Other name="Retried as" id={task.retriedBy} />
      <Fact name="Id">
        <span className="-my-1 flex min-w-0 items-center">
          <code className="truncate font-mono text-xs">{task.id}</code>
          <Copy text={task.id} label="Copy the id" />
        </span>
      </Fact>
    </dl>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-w-0 items-baseline gap-1.5">
    <dt className="text-muted-foreground">{name}</dt>
    <dd className="min-w-0 truncate font-medium">{children}</dd>
  </div>
)

const Other = ({ name, id }: { name: string; id: string | undefined }) =>
  id && (
    <Fact name={name}>
      <Link to="/tasks/$id" params={{ id }} className="underline underline-offset-2 [overflow-wrap:anywhere]">
        {id}
      </Link>
    </Fact>
  )

/** Renders nothing for an ended task that did not run here. */
const Elapsed = ({ task }: { task: Task }) => (
  <>
    <Present task={task} />
    {task.waitingMs !== undefined && <Fact name="Waited">{formatDuration(task.waitingMs)}</Fact>}
  </>
)

const Present = ({ task }: { task: Task }) => {
  const { status, createdAt, queuedAt, startedAt, completedAt, waiting } = task
  const now = useNow(!isFinal(status))
  if (isFinal(status))
    return startedAt && completedAt ? <Fact name="Took">{formatDuration(runTimeMs(task))}</Fact> : null
  if (waiting)
    return (
      <Fact name={`Waiting for ${awaited[waiting.reason]}`}>
        {formatDuration(now - Date.parse(waiting.since))}
      </Fact>
    )
  if (status === 'in_progress' && startedAt)
    return <Fact name="Running">{formatDuration(runTimeMs(task, now))}</Fact>
  return <Fact name="Waiting">{formatDuration(now - Date.parse(queuedAt ?? createdAt))}</Fact>
}
