import { Problem } from '../core/errors.ts'
import { ANONYMOUS, type Principal } from '../core/principal.ts'
import type { Call } from '../http/route.ts'
import type { AuthorizationRequest } from './authorization-requests.ts'

/** Whether accounts of this user write reports, so that linking asks for access that writes: those of admins do. */
export const isReporter = ({ role }: Pick<Principal, 'role'>, areReportsOn: boolean): boolean =>
  areReportsOn && role === 'admin'

/** An account is linked by the one who asked for it, in the session that asked: else Problem `forbidden` `session_changed`. */
export const refuseOtherSession = (
  { userId, sessionId }: AuthorizationRequest,
  principal: Principal,
): void => {
  if (userId !== undefined && (userId !== principal.userId || sessionId !== principal.sessionId))
    throw new Problem('forbidden', 'session_changed', 'You are not signed in as when you began: begin again')
}

/**
 * Whether a page of another site led a signed-in user here. Its author may have signed the person in as himself
 * at the provider, and a user who links that account lets him in from then on. `Sec-Fetch-Site` of Fetch Metadata shows it: a
 * browser that does not send it is old, and any other caller is led by no page.
 */
export const isForeignLink = ({ principal, header }: Pick<Call, 'principal' | 'header'>): boolean => {
  const site = header('sec-fetch-site')
  return principal.userId !== ANONYMOUS.userId && (site === 'cross-site' || site === 'same-site')
}

/** Throws Problem `forbidden` `foreign_origin` when a page of another site would have an account linked. */
export const refuseForeignLink = (call: Pick<Call, 'principal' | 'header'>): void => {
  if (isForeignLink(call))
    throw new Problem(
      'forbidden',
      'foreign_origin',
      'Accounts are linked from this service alone: enter the address yourself, pages of other sites may not lead to it',
    )
}
