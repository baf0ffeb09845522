import { Link } from '@tanstack/react-router'

/** Whose tool calls are on record. */
export type AuditScope = { conversationId: string } | { taskId: string }

// The path is a plain text, since the view of the record is not of this one's concern.
const PATH: string = '/security/audit'

/** The way to one tool call on record. */
export const AuditLink = ({ scope, callId }: { scope: AuditScope; callId: string }) => (
  <Link
    to={PATH}
    search={{ ...scope, callId } as never}
    className="text-muted-foreground underline underline-offset-2"
  >
    On record
  </Link>
)
