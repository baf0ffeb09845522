import type { FromAddress } from '../accounts/handlers.ts'
import { createAccounts } from '../accounts/service.ts'
import { createAccessKey } from '../auth/access-key.ts'
import { createAuditRefusals } from '../auth/attempts.ts'
import type { VerifyKey } from '../auth/handlers.ts'
import { createOwnSessions } from '../auth/own-sessions.ts'
import { createGrantSession } from '../auth/sessions.ts'
import type { Config } from '../config/config.ts'
import { createDevices } from '../devices/service.ts'
import { createConnectionStatus, createDisconnect } from '../integrations/connections.ts'
import { createAccountAccess, createCodeHostAccount } from '../oauth/account-access.ts'
import { catalog, codeHostGit, scopesAsked } from '../oauth/catalog.ts'
import { createFindConnection } from '../oauth/connections.ts'
import { isReporter } from '../oauth/flow.ts'
import { createLinkedAccountLookup, createLinkedAccounts } from '../oauth/linked-accounts.ts'
import { createProviders } from '../oauth/providers.ts'
import { createRenewal } from '../oauth/renewal.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import { createOAuth } from '../oauth/service.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import { createTokens } from '../tokens/service.ts'
import type { AuthContext, AuthPorts } from './auth.ts'

export type SignInPorts = AuthPorts & {
  passwords: Passwords
  cipher: Cipher
  providerFetch: ProviderFetch
}

export type SignIn = ReturnType<typeof composeSignIn>

/** Sign-in: with a password, an access key, or an account elsewhere. */
export const composeSignIn = (auth: AuthContext, ports: SignInPorts, config: Config) => {
  const { settings, authMode: mode, sessions, countAttempt } = auth
  const audit = auth.audit.record
  const accounts = createAccounts({
    ...ports,
    mode,
    countAttempt,
    audit,
    registrationMode: () => settings.current().system.registrationMode,
    endSessions: sessions.closeAll,
    canSignIn: async (userId, unlinked) => mode() !== 'oidc' || auth.issuerBrings(userId, unlinked),
    unlink: (userId, providers) => oauth.unlink(userId, providers),
  })
  const accessKey = createAccessKey({
    ...ports,
    mode,
    sessions,
    countAttempt,
    audit,
    fixedKey: config.ACCESS_KEY,
    stored: {
      hash: settings.accessKeyHash,
      replaceHash: settings.replaceAccessKeyHash,
      reread: settings.reread,
    },
    mayBeOpen: auth.mayBeOpen,
  })
  const grantSession = createGrantSession(sessions)
  const ownSessions = createOwnSessions({ ...ports, sessions, audit })
  const audited = createAuditRefusals({ audit })
  const logIn: FromAddress<typeof accounts.logIn> = (body, address) =>
    audited({ with: 'password', email: body.email, address }, accounts.logIn(body))
  const changePassword: FromAddress<typeof accounts.changePassword> = (principal, body, address) =>
    audited({ with: 'current-password', address }, accounts.changePassword(principal, body), principal)
  const resetPassword: FromAddress<typeof accounts.resetPassword> = (body, address) =>
    audited({ with: 'reset-code', email: body.email, address }, accounts.resetPassword(body))
  const verify: VerifyKey = (key, { address, userAgent }) =>
    audited({ with: 'access-key', address }, accessKey.verify(key, userAgent))
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config
  const oauth = createOAuth({
    ...ports,
    ...accounts,
    mode,
    grantSession,
    audit,
    limiter: auth.limiter,
    adminIds: auth.adminIds,
    areReportsOn: () => settings.current().reporting.comments,
    settings: { accounts: config.accounts, oidc: { issuer, clientId, clientSecret } },
  })
  return {
    accounts: { ...accounts, logIn, changePassword, resetPassword },
    accessKey: { ...accessKey, verify },
    grantSession,
    ownSessions,
    oauth,
    readConnections: oauth.readConnections,
    providersHere: async () => oauth.flow.providerStatuses(),
  }
}

type AccessPorts = Pick<AuthPorts, 'store' | 'clock' | 'log'> & {
  cipher: Cipher
  providerFetch: ProviderFetch
}

/** Linked accounts for a function without sign-in. */
export const composeAccountAccess = (
  { readAccountStatus, adminIds }: Pick<AuthContext, 'readAccountStatus' | 'adminIds'>,
  ports: AccessPorts,
  { accounts: settings }: Pick<Config, 'accounts'>,
): AccountAccess => {
  const accounts = createLinkedAccounts({ ...ports, readAccountStatus })
  return createAccountAccess({
    ...ports,
    accounts,
    adminIds,
    providers: createProviders({
      ...ports,
      fetch: ports.providerFetch,
      settings: { accounts: settings, oidc: {} },
    }),
    workingToken: createRenewal({ ...ports, accounts }),
  })
}

/** For a function that uses no linked account. */
export const withoutAccounts: AccountAccess = {
  writerAt: async () => undefined,
  readerFor: async () => undefined,
  validToken: async () => undefined,
}

type CodeHostPorts = AuthPorts & { cipher: Cipher; providerFetch: ProviderFetch }

/** The accounts of the code host that tasks run with, and whether their changes become pull requests. */
export const composeCodeHost = (
  { readAccountStatus, adminIds, settings }: AuthContext,
  ports: CodeHostPorts,
  config: Config,
) => ({
  accountFor: createCodeHostAccount({
    ...ports,
    readAccountStatus,
    adminIds,
    settings: config.accounts.codehost,
  }),
  isWanted: (): boolean => settings.current().reporting.pullRequests,
})

/** The host of `owner/repo`, by default the site where people sign in, and whether their tokens are sent there. */
export const codeHostPlace = ({ CODEHOST_GIT_URL, accounts }: Config) => {
  const base = CODEHOST_GIT_URL ?? codeHostGit(accounts.codehost)
  return base === undefined ? { isLinked: false } : { base, isLinked: true }
}

/** The state of linked accounts, for functions that open no tokens. */
export const composeConnectionStatus = (
  { settings }: Pick<AuthContext, 'settings'>,
  { store }: Pick<AuthPorts, 'store'>,
  config: Config,
) =>
  createConnectionStatus({
    findConnection: createFindConnection({ ofUser: createLinkedAccountLookup(store) }),
    accountRights: (principal, name, account) => {
      const reports = isReporter(principal, settings.current().reporting.comments)
      return {
        askedScopes: scopesAsked(name, config.accounts[name].linkScopes, reports),
        mayComment: reports && account?.connected === true && catalog[name].writes(account.scopes),
      }
    },
    hasWebhookSecret: config.inbound.codehost.webhookSecret !== undefined,
    aiTaskLabel: config.AI_TASK_LABEL,
  })

export const composeDisconnect = ({ audit }: Pick<AuthContext, 'audit'>, { oauth }: Pick<SignIn, 'oauth'>) =>
  createDisconnect({ unlink: oauth.unlink, audit: audit.record })

export const composeDevices = (
  { sessions, limiter, audit }: AuthContext,
  ports: AuthPorts & { cipher: Cipher },
) =>
  createDevices({
    ...ports,
    limiter,
    draftSession: sessions.draft,
    closeSession: sessions.close,
    audit: audit.record,
  })

export const composeTokens = ({ audit }: Pick<AuthContext, 'audit'>, ports: AuthPorts, config: Config) =>
  createTokens({ ...ports, callsPerMinute: config.GATEWAY_RATE_LIMIT_RPM, audit: audit.record })
