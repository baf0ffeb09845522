import { createAccounts } from '../accounts/service.ts'
import { createAccessKey } from '../auth/access-key.ts'
import { createGrantSession } from '../auth/cookie.ts'
import { createNoteRefusals } from '../auth/refusals.ts'
import type { Config } from '../config.ts'
import { createOAuth } from '../oauth/service.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import type { Entry, EntryPorts } from './entry.ts'

export type SignInPorts = EntryPorts & {
  passwords: Passwords
  cipher: Cipher
  providerFetch: ProviderFetch
}

export type SignIn = ReturnType<typeof joinSignIn>

/** How people come in: with a password, an access key, or an account elsewhere. */
export const joinSignIn = (entry: Entry, ports: SignInPorts, config: Config) => {
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
  const noted = createNoteRefusals({ audit })
  const logIn: typeof accounts.logIn = (given, address) =>
    noted({ with: 'password', email: given.email, address }, accounts.logIn(given, address))
  const verify: typeof accessKey.verify = (key, address) =>
    noted({ with: 'access-key', address }, accessKey.verify(key, address))
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config
  const oauth = createOAuth({
    ...ports,
    ...accounts,
    ...{ mode, grantSession, audit, limiter: entry.limiter },
    settings: { accounts: config.accounts, oidc: { issuer, clientId, clientSecret } },
  })
  const guarded = { accounts: { ...accounts, logIn }, accessKey: { ...accessKey, verify } }
  return { ...guarded, grantSession, oauth, connectionsOf: oauth.connectionsOf }
}
