import { Problem } from '../core/errors.ts'
import { ANONYMOUS } from '../core/principal.ts'
import type { HoldsRights } from '../core/rights-watch.ts'
import type { Identity } from '../http/guard.ts'
import type { AuthMode } from './schema.ts'
import type { Sessions } from './sessions.ts'

type Needs = {
  mode: () => AuthMode
  hasKey: () => boolean
  /** Whether the service may run without sign-in on its host. */
  mayBeOpen: boolean
  sessions: Pick<Sessions, 'findPrincipal' | 'holds'>
  tokens: { findPrincipal: Identity['ofToken']; holds: HoldsRights }
}

/** How the guard identifies callers in each mode of sign-in. */
export const createIdentity = (needs: Needs): Identity & { holds: HoldsRights } => {
  const { mode, hasKey, mayBeOpen, sessions, tokens } = needs
  const isOpen = () => {
    if (mode() !== 'local' || hasKey()) return false
    if (mayBeOpen) return true
    throw new Problem(
      'forbidden',
      'sign_in_not_configured',
      'Sign-in is not set up. Set AUTH_MODE to cloud or oidc, or set an ACCESS_KEY',
    )
  }
  return {
    isOpen,
    ofSession: sessions.findPrincipal,
    ofToken: tokens.findPrincipal,
    holds: async (principal) => {
      if (principal.tokenId !== undefined) return tokens.holds(principal)
      if (principal.sessionId !== undefined) return sessions.holds(principal)
      // Any other caller was admitted because there was no sign-in.
      return principal.userId === ANONYMOUS.userId || isOpen()
    },
  }
}
