import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { AgentSession, Followed } from '../../data/sessions.ts'
import { RunView } from '../../run/run-view.tsx'
import { Section } from './section.tsx'

type Props = {
  session: AgentSession
  followed: Followed
  isOver: boolean
  /** Of the error that the task ended with. */
  endCode: string | undefined
}

/** What the agent says and does, live and afterwards. */
export const AgentRun = ({ session, followed, isOver, endCode }: Props) => {
  const { taskId = '' } = session
  const scope = useMemo(() => ({ taskId }), [taskId])
  return (
    <Section
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
      <div className="px-3.5 pt-1 pb-3">
        <RunView followed={followed} scope={scope} isOver={isOver} endCode={endCode} hidesEnd />
      </div>
    </Section>
  )
}
