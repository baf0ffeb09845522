import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../../../../../lib/api/api-error.ts'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import type { Task as TaskData } from '../../../../../lib/tasks/schema.ts'
import { buttonClass } from '../../components/button.tsx'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { State } from '../../components/state.tsx'
import { View } from '../../components/view.tsx'
import { useTaskCreators } from '../../data/people.ts'
import { useFollowed, useSessionOfTask } from '../../data/sessions.ts'
import { useTask } from '../../data/tasks.ts'
import { Actions } from './actions.tsx'
import { AgentRun } from './agent-run.tsx'
import { Back } from './back.tsx'
import { Commands } from './commands.tsx'
import { Parts } from './parts.tsx'
import { Reply } from './reply.tsx'
import { Summary } from './summary.tsx'
import { Trace } from './trace.tsx'
import { WaitNotice } from './wait-notice.tsx'

export const Task = (): ReactNode => {
  const { id } = useParams({ from: '/tasks/$id' })
  const { data: task, error, refetch } = useTask(id)
  useTaskCreators(task ? [task] : [])
  if (!task)
    return (
      <View title="Task" back={<Back />}>
        {error ? (
          <div className="md:px-2">
            <Unread error={error} onRetry={() => void refetch()} />
          </div>
        ) : (
          <SkeletonRows count={10} />
        )}
      </View>
    )
  return (
    <View
      title={task.title}
      back={<Back />}
      isHeadScrolled
      aside={<State status={task.status} waitingFor={task.waitingFor} />}
      actions={<Actions task={task} />}
      foot={<Reply key={task.id} task={task} />}
    >
      <Body key={task.id} task={task} />
    </View>
  )
}

/** What is not there is not there a second time. */
const Unread = ({ error, onRetry }: { error: unknown; onRetry: () => void }) =>
  error instanceof ApiError && error.status === 404 ? (
    <Problem
      error={error}
      action={
        <Link to="/tasks" className={buttonClass()}>
          All tasks
        </Link>
      }
    />
  ) : (
    <Problem error={error} onRetry={onRetry} />
  )

const Body = ({ task }: { task: TaskData }) => {
  const isOver = isFinal(task.status)
  const { data: session } = useSessionOfTask(task.id, task.status === 'in_progress')
  const followed = useFollowed(session?.id, !isOver)
  const run = session ? followed.run : undefined
  return (
    <>
      <Summary task={task} usedTokens={run?.usedTokens} />
      <WaitNotice task={task} />
      <Parts
        task={task}
        run={run}
        work={
          session
            ? {
                commands: <Commands run={followed.run} task={task} />,
                run: (
                  <AgentRun
                    session={session}
                    followed={followed}
                    isOver={isOver}
                    endCode={task.error?.code}
                  />
                ),
              }
            : undefined
        }
      />
      <Trace task={task} run={run} isOver={isOver} />
    </>
  )
}
