import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import type { Task as Shown, TaskEvent } from '../../../../../lib/tasks/schema.ts'
import { Problem } from '../../components/problem.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { State } from '../../components/state.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel, View } from '../../components/view.tsx'
import { useSessionOfTask } from '../../data/sessions.ts'
import { useTask, useTaskEvents } from '../../data/tasks.ts'
import { Actions } from './actions.tsx'
import { AgentRun } from './agent-run.tsx'
import { EventLog } from './event-log.tsx'
import { Facts } from './facts.tsx'
import { Failure } from './failure.tsx'
import { Reported } from './reported.tsx'
import { Result } from './result.tsx'
import { Timeline } from './timeline.tsx'

/** One task: its life, what it gave, and what can be done with it. */
export const Task = (): ReactNode => {
  const { id } = useParams({ from: '/tasks/$id' })
  const { data: task, error, refetch } = useTask(id)
  if (!task)
    return (
      <View title="Task">
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : <SkeletonRows count={10} />}
      </View>
    )
  return (
    <View
      title={task.title}
      aside={
        <>
          <State status={task.status} />
          {task.waitingFor && <Tag tone="warn">waits for approval</Tag>}
        </>
      }
      actions={<Actions task={task} />}
    >
      <div className="grid grid-cols-1 items-start gap-4 p-4 md:px-6 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <Body task={task} />
        <Facts task={task} />
      </div>
    </View>
  )
}

/**
 * The bars at the top; what the agent does right below them while it works, and below its result once it is done. An agent
 * that says nothing of its steps has its log there.
 */
const Body = ({ task }: { task: Shown }) => {
  const isOver = isFinal(task.status)
  const { data: events, error } = useTaskEvents(task.id, isOver)
  const { data: session } = useSessionOfTask(task.id, task.status === 'in_progress')
  const run = session && <AgentRun key="run" session={session} isOver={isOver} />
  const log = <Log key="log" events={events} isFolded={Boolean(session)} />
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Panel title="Life">
        {error && !events && <Problem error={error} />}
        {events ? <Timeline events={events} /> : <SkeletonRows count={2} />}
      </Panel>
      {task.error && task.status !== 'completed' && <Failure error={task.error} isOver={isOver} />}
      {!isOver && (run ?? log)}
      <Reported task={task} />
      {task.result && <Result result={task.result} />}
      {isOver && run}
      <Asked {...task} />
      {(isOver || run) && log}
    </div>
  )
}

type LogProps = { events: readonly TaskEvent[] | undefined; isFolded: boolean }

const Log = ({ events, isFolded }: LogProps) => {
  const content = events ? <EventLog events={events} /> : <SkeletonRows count={5} />
  const total = <span className="font-normal text-muted-foreground">{events?.length}</span>
  if (!isFolded)
    return (
      <Panel title="Events" aside={total}>
        {content}
      </Panel>
    )
  return (
    <details className="rounded-lg border bg-card">
      <summary className="px-3.5 py-2.5 font-semibold">Events {total}</summary>
      <div className="border-t">{content}</div>
    </details>
  )
}

/** What was asked for: folded where there is a result, since then that is what people come for. */
const Asked = ({ description, prompt, metadata, result }: Shown) => {
  const texts = [
    ['Description', description],
    ['Prompt', prompt],
    [
      'Metadata',
      metadata && Object.keys(metadata).length > 0 ? JSON.stringify(metadata, null, 2) : undefined,
    ],
  ] as const
  return texts.map(
    ([title, text]) =>
      text && (
        <details key={title} open={!result && title !== 'Metadata'} className="rounded-lg border bg-card">
          <summary className="px-3.5 py-2.5 font-semibold">{title}</summary>
          <Scroller label={title} className="max-h-96 overflow-y-auto border-t px-3.5 py-3">
            <pre
              className={`[overflow-wrap:anywhere] whitespace-pre-wrap ${title === 'Metadata' ? 'font-mono text-xs' : 'font-sans'}`}
            >
              {text}
            </pre>
          </Scroller>
        </details>
      ),
  )
}
