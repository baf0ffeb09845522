import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Panel } from '../../components/view.tsx'
import { type AgentSession, useFollowed } from '../../data/sessions.ts'
import { RunView } from '../../run/run-view.tsx'

/** What the agent of a task does, live, and what it has done. How the task ended, the task tells by itself. */
export const AgentRun = ({ session, isOver }: { session: AgentSession; isOver: boolean }) => {
  const followed = useFollowed(session.id, !isOver)
  const { taskId = '' } = session
  const of = useMemo(() => ({ taskId }), [taskId])
  return (
    <Panel
      title="Run"
      aside={
        <Link
          to="/chat/sessions/$id"
          params={{ id: session.id }}
          className="text-muted-foreground underline underline-offset-2"
        >
          Open the run
        </Link>
      }
    >
      <div className="px-3.5 py-3">
        <RunView followed={followed} of={of} isOver={isOver} isEndTold />
      </div>
    </Panel>
  )
}
