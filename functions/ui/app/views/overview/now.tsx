import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import type { TaskFields } from '../../../../../lib/tasks/schema.ts'
import { AgentName } from '../../components/agent-name.tsx'
import { formatNumber } from '../../components/format.ts'
import { NotYet } from '../../components/not-yet.tsx'
import { useNow } from '../../components/now.ts'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { State } from '../../components/state.tsx'
import { Tag } from '../../components/tag.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { formatDuration } from '../../components/time.ts'
import { isStuck } from '../../components/usual-time.ts'
import { Panel } from '../../components/view.tsx'
import { waitBesideState } from '../../components/waiting.ts'
import { useUsualRuns } from '../../data/analytics.ts'
import { useActiveTasks } from '../../data/tasks.ts'

type Usual = ReturnType<typeof useUsualRuns>

export const Now = () => {
  const query = useActiveTasks()
  const usual = useUsualRuns()
  const { data } = query
  return (
    <Panel
      title="Now"
      aside={
        <Link
          to="/tasks"
          search={{ status: 'in_progress,queued' }}
          className="text-muted-foreground hover:text-foreground"
        >
          All
        </Link>
      }
    >
      {data ? (
        <Lists {...data} usual={usual} />
      ) : (
        <NotYet query={query}>
          <SkeletonRows count={4} />
        </NotYet>
      )}
    </Panel>
  )
}

type Found = { tasks: readonly TaskFields[]; total: number }

const Lists = ({ running, queued, usual }: { running: Found; queued: Found; usual: Usual }) => {
  if (running.tasks.length + queued.tasks.length === 0) return <Idle />
  const longest = running.tasks.toSorted((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? -1 : 1))
  return (
    <>
      <List title="Running" found={running} status="in_progress">
        {longest.map((task) => (
          <Row key={task.id} task={task}>
            <Elapsed task={task} usual={usual} />
          </Row>
        ))}
      </List>
      <List title="Queued" found={queued} status="queued">
        {queued.tasks.map((task) => (
          <Row key={task.id} task={task}>
            <Waiting task={task} />
          </Row>
        ))}
      </List>
    </>
  )
}

type ListProps = { title: string; found: Found; status: string; children: ReactNode }

const List = ({ title, found: { tasks, total }, status, children }: ListProps) =>
  tasks.length > 0 && (
    <section aria-label={title} className="border-b last:border-b-0">
      <h3 className="flex items-baseline gap-1.5 px-3.5 pt-2 text-xs font-medium text-muted-foreground">
        {title} <span className="font-normal">{formatNumber(total)}</span>
      </h3>
      <ul className="pb-1">{children}</ul>
      {total > tasks.length && (
        <Link
          to="/tasks"
          search={{ status }}
          className="block px-3.5 pb-2 text-xs text-muted-foreground hover:text-foreground"
        >
          {formatNumber(total - tasks.length)} more
        </Link>
      )}
    </section>
  )

const Row = ({ task, children }: { task: TaskFields; children: ReactNode }) => {
  const { id, title, status, waitingFor, agent } = task
  return (
    <li>
      <Link
        to="/tasks/$id"
        params={{ id }}
        className="flex items-center gap-3 px-3.5 py-1.5 hover:bg-muted max-md:flex-wrap max-md:gap-y-0"
      >
        {status && <State status={status} waitingFor={waitingFor} isBrief />}
        <span className="min-w-0 flex-1 truncate max-md:basis-4/5 md:min-w-1/2">
          {startOfLine(title ?? '')}
        </span>
        <span className="max-w-36 shrink-0 truncate text-muted-foreground max-md:hidden">
          {agent && <AgentName type={agent} />}
        </span>
        {children}
      </Link>
    </li>
  )
}

/** Time spent waiting for approval is not measured. */
const Elapsed = ({ task, usual }: { task: TaskFields; usual: Usual }) => {
  const now = useNow(true)
  if (task.waitingFor) return <Wait task={task} now={now} />
  if (!task.startedAt) return null
  const elapsedMs = runTimeMs(task, now)
  const runs = usual?.[task.agent ?? '']?.run
  return (
    <span className="flex shrink-0 items-center gap-2 tabular-nums max-md:w-full max-md:pl-5">
      {isStuck(elapsedMs, runs) && <Tag tone="bad">Stuck</Tag>}
      <span className="min-w-14 text-right max-md:min-w-0">{formatDuration(elapsedMs)}</span>
      <span
        className="min-w-20 text-right text-muted-foreground max-md:min-w-0"
        title="95% of this agent's completed runs in the last 7 days were faster"
      >
        {runs?.p95Ms === undefined ? '' : `p95 ${formatDuration(runs.p95Ms)}`}
      </span>
    </span>
  )
}

const Wait = ({ task, now }: { task: TaskFields; now: number }) => (
  <span className="min-w-0 max-md:w-full max-md:pl-5">
    <Tag tone={task.waitingFor === 'slot' ? 'plain' : 'warn'}>{waitBesideState(task, now)}</Tag>
  </span>
)

const Waiting = ({ task }: { task: TaskFields }) => {
  const now = useNow(true)
  if (task.waitingFor) return <Wait task={task} now={now} />
  const since = task.queuedAt ?? task.createdAt
  return (
    <span className="shrink-0 text-muted-foreground tabular-nums max-md:w-full max-md:pl-5">
      {since === undefined ? '' : `waiting ${formatDuration(now - Date.parse(since))}`}
    </span>
  )
}

const Idle = () => (
  <div className="flex flex-col gap-2.5 px-3.5 py-4">
    <p className="text-muted-foreground">
      No running or queued tasks.{' '}
      <span className="max-md:hidden">
        Press <kbd className="rounded border bg-muted px-1.5">c</kbd> to create one.
      </span>
    </p>
  </div>
)
