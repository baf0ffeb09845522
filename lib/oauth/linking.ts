import { Problem } from '../core/errors.ts'
import { ANONYMOUS, type Principal } from '../core/principal.ts'
import type { Call } from '../http/route.ts'
import type { AuthorizationRequest } from './authorization-requests.ts'

/** Whether accounts of this user write reports, so that linking asks for write access: those of admins do. */
export const isReporter = ({ role }: Pick<Principal, 'role'>, areReportsOn: boolean): boolean =>
  areReportsOn && role === 'admin'

/** Throws Problem `forbidden` `session_changed` unless the session that asked for the link is the one that ends it. */
export const refuseOtherSession = (
  { userId, sessionId }: AuthorizationRequest,
  principal: Principal,
): void => {
  if (userId !== undefined && (userId !== principal.userId || sessionId !== principal.sessionId))
    throw new Problem('forbidden', 'session_changed', 'You are not signed in as when you began: begin again')
}

/**
 * Whether a page of another site sent a signed-in user here. Its author may have signed the person in as himself at the
 * provider, and a user who links that account gives him access. `Sec-Fetch-Site` (Fetch Metadata) shows it: only old
 * browsers omit it, and other callers follow no page.
 */
export const isForeignLink = ({ principal, header }: Pick<Call, 'principal' | 'header'>): boolean => {
  const site = header('sec-fetch-site')
  return principal.userId !== ANONYMOUS.userId && (site === 'cross-site' || site === 'same-site')
}

/** Throws Problem `forbidden` `foreign_origin` when a page of another site tries to link an account. */
export const refuseForeignLink = (call: Pick<Call, 'principal' | 'header'>): void => {
  if (isForeignLink(call))
    throw new Problem(
      'forbidden',
      'foreign_origin',
      'Accounts are linked from this service alone: enter the address yourself, pages of other sites may not lead to it',
    )
}
