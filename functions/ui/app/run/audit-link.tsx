import { Link } from '@tanstack/react-router'

/** Where the tool calls of a conversation or a task are on record, whole. */
export type AuditOf = { conversationId: string } | { taskId: string }

// The path is a plain text, since the view of the record is not of this one's concern.
const PATH: string = '/security/audit'

export const AuditLink = ({ of }: { of: AuditOf }) => (
  <Link to={PATH} search={of as never} className="text-muted-foreground underline underline-offset-2">
    On record
  </Link>
)
