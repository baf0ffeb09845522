import type { FindOrCreateBy, StandingOf, User, UserOf } from '../accounts/schema.ts'
import type { AuthMode } from '../auth/schema.ts'
import { missing, Problem } from '../core/errors.ts'
import { networkOf } from '../core/network.ts'
import { ANONYMOUS, type Principal } from '../core/principal.ts'
import type { Call } from '../http/route.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Beginning, Beginnings } from './beginnings.ts'
import { browserCookie, cookieName } from './browser-cookie.ts'
import { accountId, type LinkedAccounts } from './linked-accounts.ts'
import { oauthFailed, type Profile, type Provider } from './provider.ts'
import type { Providers } from './providers.ts'
import type { ProviderName } from './schema.ts'

type Needs = {
  providers: Providers
  beginnings: Beginnings
  accounts: LinkedAccounts
  limiter: Limiter
  mode: () => AuthMode
  userOf: UserOf
  standingOf: StandingOf
  findOrCreateBy: FindOrCreateBy
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
}

/** What whoever begins asks for; the way back is the callback unless a page of the same site takes it. */
export type Wish = { invite?: string | undefined; redirectPath?: string | undefined }

/** What the browser came back with. */
export type Returned = {
  code?: string | undefined
  state?: string | undefined
  error?: string | undefined
  iss?: string | undefined
}
/** `isLinked` tells that the user was signed in already. */
export type Finished = { user: User; isLinked: boolean }

/** Beginning writes to storage for whoever asks, so there is an end to it. */
const BEGIN_LIMIT = { name: 'oauthBegin', calls: 60, windowMs: 60_000 }

export type Flow = ReturnType<typeof createFlow>

/** The way to a provider and back. Whoever is signed in links an account by it, everybody else signs in. */
export const createFlow = (needs: Needs) => {
  const { providers, beginnings, accounts, mode, userOf, standingOf, audit } = needs

  /** Throws Problem `unsupported` `oauth_not_configured`. */
  const providerOf = (name: ProviderName): Provider => {
    const provider = providers.get(name)
    if (provider) return provider
    const message = `This provider is not configured: set ${neededFor(name)}`
    throw new Problem('unsupported', 'oauth_not_configured', message)
  }

  const refuseSignIn = (name: ProviderName) => {
    if (mode() === 'local')
      throw new Problem('unauthenticated', 'not_signed_in', 'Sign in first: then this links your account')
    if (mode() === 'oidc' && name !== 'oidc')
      throw new Problem('unsupported', 'sign_in_not_offered', 'Sign in at /api/auth/oidc first')
  }

  const begin = async (name: ProviderName, { invite, redirectPath }: Wish, { principal, origin }: Call) => {
    const provider = providerOf(name)
    const { address, baseUrl, isSecure } = origin()
    const isSigningIn = principal.userId === ANONYMOUS.userId
    if (isSigningIn) refuseSignIn(name)
    const retryAfterMs = await needs.limiter.take(BEGIN_LIMIT, networkOf(address))
    if (retryAfterMs > 0)
      throw new Problem('rate_limited', 'rate_limited', 'Too many attempts. Please try again in a minute.', {
        retryAfterMs,
      })
    const { userId, sessionId } = isSigningIn ? {} : principal
    const redirectUri = `${baseUrl}${redirectPath ?? `/api/auth/${name}/callback`}`
    const begun = await beginnings.begin({ provider: name, redirectUri, userId, sessionId, invite })
    const url = await provider.authorizationUrl({ redirectUri, ...begun })
    return { url, state: begun.state, headers: browserCookie(name, begun.secret, isSecure) }
  }

  /** The user whose account that is; undefined when it is nobody's, or its owner is gone. */
  const ownerOf = async (id: string): Promise<User | undefined> => {
    const row = await accounts.get(id)
    const standing = row && (await standingOf(row.userId))
    if (standing?.disabled) throw new Problem('forbidden', 'sign_in_refused', 'This account is disabled')
    return row && standing && userOf(row.userId)
  }

  const personWho = async (provider: Provider, profile: Profile, invite: string | undefined) => {
    const owner = await ownerOf(accountId(provider, profile.subject))
    if (owner) return owner
    const { email = '', emailVerified, name = profile.username, avatarUrl } = profile
    const { user } = await needs.findOrCreateBy({
      email,
      emailVerified,
      ...(name === undefined ? {} : { name }),
      ...(avatarUrl === undefined ? {} : { avatarUrl }),
      ...(invite === undefined ? {} : { invite }),
    })
    return user
  }

  const userWho = async (userId: string): Promise<User> => {
    const user = await userOf(userId)
    if (user === undefined) throw missing('User')
    return user
  }

  /** Throws Problem with one of the codes of `FailureSchema`. */
  const finish = async (name: ProviderName, returned: Returned, call: Call): Promise<Finished> => {
    const provider = providerOf(name)
    const { code, state, error, iss } = returned
    const begun = await beginnings.end(name, { state, secret: call.cookies(cookieName(name))[0] })
    if (begun === undefined || state === undefined) throw invalidState()
    refuseOtherSession(begun, call.principal)
    if (error === 'access_denied') throw new Problem('forbidden', 'access_denied', 'You did not allow access')
    if (!code) throw oauthFailed(error)
    if (begun.userId === undefined) refuseSignIn(name)
    const { profile, tokens } = await provider.exchange({ ...begun, code, state, iss })
    const isLinked = begun.userId !== undefined
    const user =
      begun.userId === undefined
        ? await personWho(provider, profile, begun.invite)
        : await userWho(begun.userId)
    await accounts.keep(provider, user.id, profile, tokens)
    if (isLinked) await audit(call.principal, 'account.link', { provider: name, username: profile.username })
    return { user, isLinked }
  }

  return { begin, finish }
}

/** The variables without which a provider is not there; an issuer may do without a secret. */
const neededFor = (name: ProviderName): string => {
  if (name === 'oidc') return 'OIDC_ISSUER and OIDC_CLIENT_ID'
  return `${name.toUpperCase()}_CLIENT_ID and ${name.toUpperCase()}_CLIENT_SECRET`
}

/** An account is linked by the one who asked for it, in the session that asked. */
const refuseOtherSession = ({ userId, sessionId }: Beginning, principal: Principal) => {
  if (userId !== undefined && (userId !== principal.userId || sessionId !== principal.sessionId))
    throw new Problem('forbidden', 'session_changed', 'You are not signed in as when you began: begin again')
}

const invalidState = () =>
  new Problem(
    'invalid',
    'invalid_state',
    'This sign-in did not begin in this browser, took too long, or is over: begin again',
  )
