import type { FromAddress } from '../accounts/handlers.ts'
import { createAccounts } from '../accounts/service.ts'
import { createAccessKey } from '../auth/access-key.ts'
import { createGrantSession } from '../auth/cookie.ts'
import type { VerifyKey } from '../auth/handlers.ts'
import { createOwnSessions } from '../auth/own-sessions.ts'
import { createNoteRefusals } from '../auth/refusals.ts'
import type { Config } from '../config.ts'
import { createOAuth } from '../oauth/service.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import type { AuthContext, AuthPorts } from './auth-context.ts'

export type SignInPorts = AuthPorts & {
  passwords: Passwords
  cipher: Cipher
  providerFetch: ProviderFetch
}

export type SignIn = ReturnType<typeof joinSignIn>

/** How people come in: with a password, an access key, or an account elsewhere. */
export const joinSignIn = (entry: AuthContext, ports: SignInPorts, config: Config) => {
  const { settings, authMode: mode, sessions, countAttempt } = entry
  const audit = entry.audit.record
  const accounts = createAccounts({
    ...ports,
    ...{ mode, countAttempt, audit },
    registrationMode: () => settings.current().system.registrationMode,
    endSessions: sessions.closeAll,
    canSignIn: async (userId, unlinked) => mode() !== 'oidc' || entry.issuerBrings(userId, unlinked),
    unlink: (userId, providers) => oauth.unlink(userId, providers),
  })
  const accessKey = createAccessKey({
    ...ports,
    ...{ mode, sessions, countAttempt, audit },
    fixedKey: config.ACCESS_KEY,
    stored: {
      hash: settings.accessKeyHash,
      replaceHash: settings.replaceAccessKeyHash,
      reread: settings.reread,
    },
    mayBeOpen: entry.mayBeOpen,
  })
  const grantSession = createGrantSession(sessions)
  const ownSessions = createOwnSessions({ ...ports, sessions, audit })
  const noted = createNoteRefusals({ audit })
  const logIn: FromAddress<typeof accounts.logIn> = (given, address) =>
    noted({ with: 'password', email: given.email, address }, accounts.logIn(given))
  const changePassword: FromAddress<typeof accounts.changePassword> = (principal, given, address) =>
    noted({ with: 'current-password', address }, accounts.changePassword(principal, given), principal)
  const resetPassword: FromAddress<typeof accounts.resetPassword> = (given, address) =>
    noted({ with: 'reset-code', email: given.email, address }, accounts.resetPassword(given))
  const verify: VerifyKey = (key, { address, userAgent }) =>
    noted({ with: 'access-key', address }, accessKey.verify(key, userAgent))
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config
  const oauth = createOAuth({
    ...ports,
    ...accounts,
    ...{ mode, grantSession, audit, limiter: entry.limiter, adminIds: entry.adminIds },
    areReportsOn: () => settings.current().reporting.comments,
    settings: { accounts: config.accounts, oidc: { issuer, clientId, clientSecret } },
  })
  const guarded = {
    accounts: { ...accounts, logIn, changePassword, resetPassword },
    accessKey: { ...accessKey, verify },
  }
  return { ...guarded, grantSession, ownSessions, oauth, connectionsOf: oauth.connectionsOf }
}
