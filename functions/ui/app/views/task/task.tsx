import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import type { Task as TaskData } from '../../../../../lib/tasks/schema.ts'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { State } from '../../components/state.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel, View } from '../../components/view.tsx'
import { useFollowed, useSessionOfTask } from '../../data/sessions.ts'
import { useTask, useTaskEvents } from '../../data/tasks.ts'
import type { Run } from '../../run/run.ts'
import { Actions } from './actions.tsx'
import { AgentRun } from './agent-run.tsx'
import { awaited } from './awaited.ts'
import { Side } from './side.tsx'
import { Summary } from './summary.tsx'
import { Timeline } from './timeline.tsx'
import { WaitNotice } from './wait-notice.tsx'

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
          {task.waitingFor && <Tag tone="warn">waiting for {awaited[task.waitingFor]}</Tag>}
        </>
      }
      actions={<Actions task={task} />}
    >
      <Body key={task.id} task={task} />
    </View>
  )
}

const Body = ({ task }: { task: TaskData }) => {
  const isOver = isFinal(task.status)
  const { data: session } = useSessionOfTask(task.id, task.status === 'in_progress')
  const followed = useFollowed(session?.id, !isOver)
  const run = session ? followed.run : undefined
  return (
    <>
      <Summary task={task} usedTokens={run?.usedTokens} />
      <WaitNotice waiting={task.waiting} />
      <div className="grid grid-cols-1 items-start gap-4 p-4 md:px-6 lg:grid-cols-2 lg:grid-rows-[auto_1fr]">
        <Trace task={task} isOver={isOver} run={run} />
        <div className="min-w-0 lg:col-start-2 lg:row-span-2 lg:row-start-1">
          <Side task={task} run={run} />
        </div>
        {session && <AgentRun session={session} followed={followed} isOver={isOver} />}
      </div>
    </>
  )
}

type TraceProps = { task: TaskData; isOver: boolean; run: Run | undefined }

const Trace = ({ task, isOver, run }: TraceProps) => {
  const { data: events, error } = useTaskEvents(task.id, isOver)
  if (events) return <Timeline events={events} run={run} task={task} />
  return <Panel title="Trace">{error ? <Problem error={error} /> : <SkeletonRows count={2} />}</Panel>
}
