import { Link } from '@tanstack/react-router'
import { type Session, useSessionTitle } from '../data/approvals.ts'

const look = 'underline underline-offset-2 [overflow-wrap:anywhere]'

/** The way to the task or conversation of a tool call, by its id or by the words that are given. */
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

/** The same by its title, as soon as that is known: for lists that are short, since each title is asked for. */
export const TitledSession = (session: Session) => {
  const title = useSessionTitle(session)
  if (session.taskId === undefined && session.conversationId === undefined) return null
  return (
    <span>
      {session.taskId === undefined ? 'Conversation' : 'Task'} <SessionLink {...session} text={title} />
    </span>
  )
}

/** The way to the record of the tool calls of a task or conversation. */
export const ToolCallsLink = ({ taskId, conversationId }: Session) => (
  <Link
    to="/security/audit"
    search={{ ...(taskId ? { taskId } : {}), ...(conversationId ? { conversationId } : {}) }}
    className="underline underline-offset-2"
  >
    Tool calls
  </Link>
)
