import { Link } from '@tanstack/react-router'
import { type Session, useSessionTitle } from '../data/approvals.ts'

const look = 'underline underline-offset-2 [overflow-wrap:anywhere]'

export const SessionLink = ({ taskId, conversationId, text }: Session & { text?: string | undefined }) => {
  if (taskId !== undefined)
    return (
      <Link to="/tasks/$id" params={{ id: taskId }} className={look}>
        {text ?? taskId}
      </Link>
    )
  if (conversationId === undefined) return null
  const to: string = `/chat/${encodeURIComponent(conversationId)}`
  return (
    <Link to={to} className={look}>
      {text ?? conversationId}
    </Link>
  )
}

/** Loads one title per link, so it is for short lists. */
export const TitledSession = (session: Session) => {
  const title = useSessionTitle(session)
  if (session.taskId === undefined && session.conversationId === undefined) return null
  return (
    <span>
      {session.taskId === undefined ? 'Conversation' : 'Task'} <SessionLink {...session} text={title} />
    </span>
  )
}

export const ToolCallsLink = ({ taskId, conversationId }: Session) => (
  <Link
    to="/settings/security/audit"
    search={{ ...(taskId ? { taskId } : {}), ...(conversationId ? { conversationId } : {}) }}
    className="underline underline-offset-2"
  >
    Tool calls
  </Link>
)
