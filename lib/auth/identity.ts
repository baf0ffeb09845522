import { Problem } from '../core/errors.ts'
import type { Identity } from '../http/guard.ts'
import type { AuthMode } from './schema.ts'
import type { Sessions } from './sessions.ts'

type Needs = {
  mode: () => AuthMode
  hasKey: () => boolean
  /** Whether the service may run without sign-in on its host. */
  mayBeOpen: boolean
  sessions: Pick<Sessions, 'principalOf'>
  ofToken: Identity['ofToken']
}

/** How the guard identifies callers in each mode of sign-in. */
export const createIdentity = ({ mode, hasKey, mayBeOpen, sessions, ofToken }: Needs): Identity => ({
  isOpen: () => {
    if (mode() !== 'local' || hasKey()) return false
    if (mayBeOpen) return true
    throw new Problem(
      'forbidden',
      'sign_in_not_configured',
      'This service has no way to sign in: set AUTH_MODE to cloud or oidc, or an ACCESS_KEY',
    )
  },
  ofSession: sessions.principalOf,
  ofToken,
})
