import type { FindOrCreateUser, FindUser, ReadAccountStatus, User } from '../accounts/schema.ts'
import type { AuthMode } from '../auth/schema.ts'
import { missing, Problem, refuseEarly } from '../core/errors.ts'
import { addressNetwork } from '../core/network.ts'
import { ANONYMOUS, type Principal } from '../core/principal.ts'
import type { Call } from '../http/route.ts'
import type { Limiter } from '../limits/limiter.ts'
import {
  AUTHORIZATION_REQUEST_MS,
  type AuthorizationRequest,
  type AuthorizationRequests,
} from './authorization-requests.ts'
import type { LinkedAccounts } from './linked-accounts.ts'
import { createFindPerson } from './person.ts'
import { oauthFailed, type Provider } from './provider.ts'
import type { Providers } from './providers.ts'
import { PROVIDERS, type ProviderName, type ProviderStatus } from './schema.ts'

/** Whether accounts of this user write reports, so that linking asks for write access: those of admins do. */
export const isReporter = ({ role }: Pick<Principal, 'role'>, areReportsOn: boolean): boolean =>
  areReportsOn && role === 'admin'

/** Throws Problem `forbidden` `session_changed` unless the session that asked for the link is the one that ends it. */
const refuseOtherSession = ({ userId, sessionId }: AuthorizationRequest, principal: Principal): void => {
  if (userId !== undefined && (userId !== principal.userId || sessionId !== principal.sessionId))
    throw new Problem('forbidden', 'session_changed', 'Your session changed during sign-in. Start again')
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
const refuseForeignLink = (call: Pick<Call, 'principal' | 'header'>): void => {
  if (isForeignLink(call))
    throw new Problem(
      'forbidden',
      'foreign_origin',
      'Accounts can only be linked from this service, not from a link on another site',
    )
}

/** One cookie for each provider, so that two sign-ins may run at once. */
const cookieName = (provider: ProviderName): string => `svc_oauth_${provider}`

/** Binds a sign-in to the browser that began it. `Lax`, so that the provider's redirect back carries it. */
const browserCookie = (provider: ProviderName, secret: string, isSecure: boolean) => ({
  'set-cookie': [
    `${cookieName(provider)}=${secret}`,
    `Path=/api/auth/${provider}`,
    'HttpOnly',
    'SameSite=Lax',
    `Max-Age=${AUTHORIZATION_REQUEST_MS / 1_000}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; '),
})

type Needs = {
  providers: Providers
  authorizationRequests: AuthorizationRequests
  accounts: LinkedAccounts
  limiter: Limiter
  mode: () => AuthMode
  findUser: FindUser
  readAccountStatus: ReadAccountStatus
  findOrCreateUser: FindOrCreateUser
  areReportsOn: () => boolean
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
}

/** The parameters of a begin; the return goes to the callback unless `redirectPath` names another page of the site. */
export type BeginOptions = { invite?: string | undefined; redirectPath?: string | undefined }

export type Returned = {
  code?: string | undefined
  state?: string | undefined
  error?: string | undefined
  iss?: string | undefined
}
/** `isLinked`: the user was signed in already, and linked the account. */
export type Finished = { user: User; isLinked: boolean }

type Exchanged = Awaited<ReturnType<Provider['exchange']>>

/** The begin of a sign-in writes to storage for unknown callers, so it is limited. */
const BEGIN_LIMIT = { name: 'oauthBegin', calls: 60, windowMs: 60_000 }

export type Flow = ReturnType<typeof createFlow>

/** The OAuth flow. A user with a session links an account by it, any other caller signs in. */
export const createFlow = (needs: Needs) => {
  const { providers, authorizationRequests, accounts, mode, findUser, audit } = needs
  const findPerson = createFindPerson(needs)

  const configuredProvider = (name: ProviderName): Provider => {
    const provider = providers.get(name)
    if (provider) return provider
    throw new Problem('unsupported', 'oauth_not_configured', notConfigured(name))
  }

  const providerStatuses = (): ProviderStatus[] =>
    PROVIDERS.map((name) => {
      if (!providers.has(name)) return { name, signsIn: false, needs: notConfigured(name) }
      return { name, signsIn: mode() === 'cloud' || (mode() === 'oidc' && name === 'oidc') }
    })

  const refuseSignIn = (name: ProviderName) => {
    if (mode() === 'local')
      throw new Problem('unauthenticated', 'not_signed_in', 'Sign in first, then link this account')
    if (mode() === 'oidc' && name !== 'oidc')
      throw new Problem('unsupported', 'sign_in_not_offered', 'Sign in at /api/auth/oidc first')
  }

  const begin = async (name: ProviderName, { invite, redirectPath }: BeginOptions, call: Call) => {
    const { principal, origin } = call
    const provider = configuredProvider(name)
    const { address, baseUrl, isSecure } = origin()
    const isSigningIn = principal.userId === ANONYMOUS.userId
    if (isSigningIn) refuseSignIn(name)
    else refuseForeignLink(call)
    const waitMs = await needs.limiter.take(BEGIN_LIMIT, addressNetwork(address))
    refuseEarly(waitMs, 'Too many attempts. Try again in a minute.')
    const { userId, sessionId } = isSigningIn ? {} : principal
    const redirectUri = `${baseUrl}${redirectPath ?? `/api/auth/${name}/callback`}`
    const request = { provider: name, redirectUri, userId, sessionId, invite }
    const begun = await authorizationRequests.begin(request)
    const toWrite = !isSigningIn && isReporter(principal, needs.areReportsOn())
    const url = await provider.authorizationUrl({ redirectUri, ...begun, toWrite })
    return { url, state: begun.state, headers: browserCookie(name, begun.secret, isSecure) }
  }

  const linkingUser = async (userId: string) => {
    const user = await findUser(userId)
    if (user === undefined) throw missing('User')
    return { user, isKnown: false, isNew: false }
  }

  /** Links the account to the person who is signed in, or who signs in with it; records a new link. */
  const attach = async (
    provider: Provider,
    { userId, invite }: Pick<AuthorizationRequest, 'userId' | 'invite'>,
    exchanged: Exchanged,
    principal: Principal,
  ): Promise<Finished> => {
    const isLinked = userId !== undefined
    const { profile, tokens } = exchanged
    const { user, isKnown, isNew } = isLinked
      ? await linkingUser(userId)
      : await findPerson(provider, exchanged, invite)
    // A new user was committed together with the link.
    if (!isNew && !(isKnown && (await accounts.isWider(provider, user.id, profile, tokens))))
      await accounts.link(provider, user.id, profile, tokens)
    const { username, subject } = profile
    const details = { provider: provider.name, username, subject, at: isLinked ? 'linking' : 'sign-in' }
    const by = isLinked ? principal : { userId: user.id, role: user.role }
    if (!isKnown) await audit(by, 'account.link', details)
    return { user, isLinked }
  }

  /** Throws Problem with one of the codes of `FailureSchema`. */
  const finish = async (name: ProviderName, returned: Returned, call: Call): Promise<Finished> => {
    const provider = configuredProvider(name)
    const { code, state, error, iss } = returned
    const begun = await authorizationRequests.end(name, { state, secret: call.cookies(cookieName(name))[0] })
    if (begun === undefined || state === undefined) throw invalidState()
    refuseOtherSession(begun, call.principal)
    if (error === 'access_denied') throw new Problem('forbidden', 'access_denied', 'You did not allow access')
    if (!code) throw oauthFailed(error)
    if (begun.userId === undefined) refuseSignIn(name)
    const exchanged = await provider.exchange({ ...begun, code, state, iss })
    return attach(provider, begun, exchanged, call.principal)
  }

  return { begin, finish, providerStatuses }
}

/** An issuer may work without a secret. */
const notConfigured = (name: ProviderName): string => {
  const prefix = name.toUpperCase()
  const client = `${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET`
  const variables = name === 'oidc' ? 'OIDC_ISSUER and OIDC_CLIENT_ID' : client
  return `This provider is not configured. Set ${variables}`
}

const invalidState = () =>
  new Problem(
    'invalid',
    'invalid_state',
    'This sign-in started in another browser, took too long, or is already complete. Start again',
  )
