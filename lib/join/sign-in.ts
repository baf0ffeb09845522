import { createAccounts } from '../accounts/service.ts'
import { createAccessKey } from '../auth/access-key.ts'
import { createGrantSession } from '../auth/cookie.ts'
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
  })
  const accessKey = createAccessKey({
    ...ports,
    ...{ mode, sessions, countAttempt, audit },
    fixedKey: config.ACCESS_KEY,
    stored: { hash: settings.accessKeyHash, setHash: settings.setAccessKeyHash, refresh: settings.refresh },
    mayBeOpen: entry.mayBeOpen,
  })
  const grantSession = createGrantSession(sessions)
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config
  const oauth = createOAuth({
    ...ports,
    ...accounts,
    ...{ mode, grantSession, audit, limiter: entry.limiter },
    settings: { accounts: config.accounts, oidc: { issuer, clientId, clientSecret } },
  })
  return { accounts, accessKey, grantSession, oauth, connectionsOf: oauth.connectionsOf }
}
