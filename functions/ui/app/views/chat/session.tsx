import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DecisionOrComposer } from '../../approvals/decision-or-composer.tsx'
import type { Scope } from '../../approvals/scope.ts'
import { buttonClass } from '../../components/button.tsx'
import { Copy } from '../../components/copy.tsx'
import { Problem } from '../../components/problem.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { View } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { type AgentSession, isSessionOver, useAgentSession, useFollowed } from '../../data/sessions.ts'
import { RunView } from '../../run/run-view.tsx'
import { SessionState } from '../../run/session-state.tsx'
import { UserMessage } from './messages.tsx'

export const Session = (): ReactNode => {
  const { id } = useParams({ from: '/chat/sessions/$id' })
  const { data: session, error, refetch } = useAgentSession(id)
  if (!session)
    return (
      <View title="Run">
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : <SkeletonRows />}
      </View>
    )
  return (
    <View
      title="Run"
      isFixed
      aside={
        <>
          <SessionState status={session.status} />
          <When at={session.createdAt} className="text-muted-foreground" />
        </>
      }
      actions={
        <>
          {session.taskId && (
            <Link to="/tasks/$id" params={{ id: session.taskId }} className={buttonClass()}>
              Open task
            </Link>
          )}
          {session.conversationId && (
            <Link to="/chat/$id" params={{ id: session.conversationId }} className={buttonClass()}>
              Open conversation
            </Link>
          )}
          <Copy text={session.id} label="Copy the id" />
        </>
      }
    >
      <Scroller label="Events of the run" className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
        <div className="mx-auto flex max-w-3xl flex-col gap-5 px-4 py-5 md:px-6">
          <Events key={id} session={session} />
        </div>
      </Scroller>
      <DecisionOrComposer scope={scopeOf(session)} />
    </View>
  )
}

const scopeOf = ({ taskId, conversationId = '' }: AgentSession): Scope =>
  taskId === undefined ? { conversationId } : { taskId }

const Events = ({ session }: { session: AgentSession }) => {
  const { id } = session
  const isOver = isSessionOver(session)
  const followed = useFollowed(id, !isOver)
  return (
    <>
      {followed.run.message && <UserMessage text={followed.run.message.content} />}
      <RunView followed={followed} scope={scopeOf(session)} isOver={isOver} isFolded={false} />
    </>
  )
}
