import type { FromAddress } from '../accounts/handlers.ts'
import { createAccounts } from '../accounts/service.ts'
import { createAccessKey } from '../auth/access-key.ts'
import { createAuditRefusals } from '../auth/attempts.ts'
import type { VerifyKey } from '../auth/handlers.ts'
import { createOwnSessions } from '../auth/own-sessions.ts'
import { createPhoneLinks } from '../auth/phone-links.ts'
import { createGrantSession } from '../auth/sessions.ts'
import type { Config } from '../config/config.ts'
import { createDevices } from '../devices/service.ts'
import { createConnectionStatus, createDisconnect } from '../integrations/connections.ts'
import { createReachable } from '../integrations/reachable.ts'
import { createCodeHostAccount } from '../oauth/account-access.ts'
import { catalog, scopesAsked } from '../oauth/catalog.ts'
import { createFindConnection } from '../oauth/connections.ts'
import { isReporter } from '../oauth/flow.ts'
import { createLinkedAccountLookup } from '../oauth/linked-accounts.ts'
import { createOAuth } from '../oauth/service.ts'
import { createTokens } from '../tokens/service.ts'
import type { AuthContext } from './auth.ts'
import type { Ports } from './ports.ts'

export type People = ReturnType<typeof createPeople>

/**
 * Who is calling, and the accounts of people: how they sign in, what they have linked, and the devices and programs that
 * act for them. They need no other domain.
 */
export const createPeople = (auth: AuthContext, ports: Ports, config: Config) => {
  const { settings, authMode: mode, sessions, countAttempt, limiter, readAccountStatus, adminIds } = auth
  const audit = auth.audit.record
  const needs = { ...ports, mode, sessions, countAttempt, limiter, audit, readAccountStatus, adminIds }
  const accounts = createAccounts({
    ...needs,
    registrationMode: () => settings.current().system.registrationMode,
    endSessions: sessions.closeAll,
    canSignIn: async (userId, unlinked) => mode() !== 'oidc' || auth.issuerBrings(userId, unlinked),
    unlink: (userId, providers) => oauth.unlink(userId, providers),
  })
  const accessKey = createAccessKey({
    ...needs,
    fixedKey: config.ACCESS_KEY,
    stored: {
      hash: settings.accessKeyHash,
      replaceHash: settings.replaceAccessKeyHash,
      reread: settings.reread,
    },
    mayBeOpen: auth.mayBeOpen,
  })
  const grantSession = createGrantSession(sessions)
  const audited = createAuditRefusals({ audit })
  const logIn: FromAddress<typeof accounts.logIn> = (body, address) =>
    audited({ with: 'password', email: body.email, address }, accounts.logIn(body))
  const changePassword: FromAddress<typeof accounts.changePassword> = (principal, body, address) =>
    audited({ with: 'current-password', address }, accounts.changePassword(principal, body), principal)
  const resetPassword: FromAddress<typeof accounts.resetPassword> = (body, address) =>
    audited({ with: 'reset-code', email: body.email, address }, accounts.resetPassword(body))
  const verify: VerifyKey = (key, { address, userAgent }) =>
    audited({ with: 'access-key', address }, accessKey.verify(key, userAgent))
  const phoneLinks = createPhoneLinks({ ...needs, grantSession })
  const signInByPhone = (code: string, from: Parameters<typeof phoneLinks.signIn>[1] & { address: string }) =>
    audited({ with: 'phone-link', address: from.address }, phoneLinks.signIn(code, from))
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config
  const areReportsOn = () => settings.current().reporting.comments
  const oauth = createOAuth({
    ...needs,
    ...accounts,
    grantSession,
    areReportsOn,
    settings: { accounts: config.accounts, oidc: { issuer, clientId, clientSecret } },
  })
  const accountFor = createCodeHostAccount({ ...needs, settings: config.accounts.codehost })
  return {
    ...auth,
    accounts: { ...accounts, logIn, changePassword, resetPassword },
    accessKey: { ...accessKey, verify },
    grantSession,
    awaitsFirst: async () => !auth.isClosed() && !(await auth.hasAdmin()),
    phoneLinks: { ...phoneLinks, signIn: signInByPhone },
    ownSessions: createOwnSessions(needs),
    oauth,
    /** The accounts that users have linked, for those who act in their name. */
    access: oauth.access,
    readConnections: oauth.readConnections,
    providersHere: async () => oauth.flow.providerStatuses(),
    disconnect: createDisconnect({ unlink: oauth.unlink, audit }),
    devices: createDevices({ ...needs, draftSession: sessions.draft, closeSession: sessions.close }),
    tokens: createTokens({
      ...needs,
      callsPerMinute: config.GATEWAY_RATE_LIMIT_RPM,
      runnerToken: config.RUNNER_TOKEN,
    }),
    reachable: createReachable({ ...ports, accountFor, lists: ports.codeHostLists }),
    /** Opens no tokens. */
    connectionStatus: createConnectionStatus({
      findConnection: createFindConnection({ ofUser: createLinkedAccountLookup(ports.store) }),
      accountRights: (principal, name, account) => {
        const reports = isReporter(principal, areReportsOn())
        return {
          askedScopes: scopesAsked(name, config.accounts[name].linkScopes, reports),
          mayComment: reports && account?.connected === true && catalog[name].writes(account.scopes),
        }
      },
      hasWebhookSecret: config.inbound.codehost.webhookSecret !== undefined,
      aiTaskLabel: config.AI_TASK_LABEL,
    }),
    /** The accounts of the code host that tasks run with, and whether their changes become pull requests. */
    codeHost: {
      accountFor,
      isWanted: (): boolean => settings.current().reporting.pullRequests,
    },
  }
}
