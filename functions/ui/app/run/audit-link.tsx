import { Link } from '@tanstack/react-router'
import type { Scope } from '../approvals/scope.ts'

// A plain string: a view does not import the routes of another.
const PATH: string = '/settings/security/audit'

export const AuditLink = ({ scope, callId }: { scope: Scope; callId: string }) => (
  <Link
    to={PATH}
    search={{ ...scope, callId } as never}
    className="text-muted-foreground underline underline-offset-2"
  >
    Audit
  </Link>
)
