import { Problem } from '../core/errors.ts'
import { ANONYMOUS, LOCAL_ADMIN, type Principal } from '../core/principal.ts'
import type { HoldsRights } from '../core/rights-watch.ts'
import { readCredential } from './credential.ts'
import type { HttpEvent } from './event.ts'
import { refuseForeignHost, refuseForeignOrigin, refuseFormBody, SAFE_METHODS } from './origin-checks.ts'
import { type Access, isForSessions, isScope, type Scope } from './route.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/** Identifies the caller of a request and checks its access; throws Problem `unauthenticated` or `forbidden`. */
export type Guard = (access: Access, event: HttpEvent) => Promise<Principal>

export type Identity = {
  /** Whether there is no sign-in, so that every caller is an admin. Throws a Problem when no one can sign in. */
  isOpen(): boolean
  /** The user of a session; undefined for an invalid or ended one. */
  ofSession(token: string): Promise<Principal | undefined>
  /** The user of an API token; undefined for an invalid one. Throws Problem `forbidden` without `scope`. */
  ofToken(token: string, scope?: Scope): Promise<Principal | undefined>
}

type GuardNeeds = { identity: Identity; proxies: TrustedProxies }

/**
 * The check before every handler. An installation without sign-in belongs to one person on one machine: the `Host` rule
 * refuses pages that rebind their own name to 127.0.0.1, and callers behind a proxy that rewrites it. The `Origin` rule
 * refuses pages of other sites that write with credentials which a browser attaches itself, or that sign it in; for
 * cookies, the rule against form bodies does so too. Browsers do not attach Bearer tokens. An unknown Bearer token is
 * refused and not ignored, and the `Origin` rule applies to it too.
 */
export const createGuard = ({ identity, proxies }: GuardNeeds): Guard => {
  const ofCookies = async (access: Access, tokens: readonly string[], event: HttpEvent) => {
    for (const token of tokens) {
      const principal = await identity.ofSession(token)
      if (principal === undefined) continue
      refuseFormBody(event)
      return permitted(access, principal)
    }
    if (isForAll(access)) return ANONYMOUS
    throw notSignedIn('invalid_token', NO_SESSION)
  }

  const ofBearer = async (access: Access, token: string, event: HttpEvent): Promise<Principal> => {
    if (isScope(access) && !isForSessions(access)) return findTokenPrincipal(token, access)
    const principal = await identity.ofSession(token)
    if (principal !== undefined) return permitted(access, principal)
    if (isScope(access)) return findTokenPrincipal(token, access)
    // An API token has no access to routes for sessions; on routes for all, its owner is a known caller.
    if (!isForAll(access)) throw unknownBearer(NO_SESSION)
    if (await identity.ofToken(token)) return ANONYMOUS
    if (access !== 'any')
      throw unknownBearer('This Bearer token is invalid or expired. Leave it out, or send a valid one')
    refuseForeignOrigin(event, proxies)
    return ANONYMOUS
  }

  const findTokenPrincipal = async (token: string, scope: Scope): Promise<Principal> => {
    const principal = await identity.ofToken(token, scope)
    if (principal === undefined) throw unknownBearer('This API token is invalid')
    return principal
  }

  const ofNoCredential = (access: Access, isOpen: boolean): Principal => {
    if (isScope(access) && !isForSessions(access))
      throw notSignedIn('token_required', 'Send an API token: Authorization: Bearer svc_…')
    if (isOpen) return LOCAL_ADMIN
    if (isForAll(access)) return ANONYMOUS
    throw notSignedIn('not_signed_in', 'Sign in first')
  }

  return async (access, event) => {
    const isOpen = identity.isOpen()
    if (isOpen) refuseForeignHost(event)
    const credential = readCredential(event)
    if (credential?.by === 'bearer') return ofBearer(access, credential.token, event)
    refuseForeignOrigin(event, proxies)
    if (access === 'public') return ANONYMOUS
    // A cookie is no API token, and a cookie from a time with an access key means nothing now.
    return credential === undefined || isOpen || (isScope(access) && !isForSessions(access))
      ? ofNoCredential(access, isOpen)
      : ofCookies(access, credential.tokens, event)
  }
}

/** Cached settings; both verbs resolve once the settings are recent enough. */
type CachedSettings = { refresh(): Promise<unknown> | undefined; latest(): Promise<unknown> | undefined }

/**
 * The guard, with settings that are recent enough. A request that changes something sees every setting that was changed
 * before it, so a closed registration or a new number of attempts applies at once. While the settings require no
 * sign-in, so does every request: a new access key takes effect in every process at once.
 */
export const openGuard = (
  { identity, settings }: { identity: Identity; settings: CachedSettings },
  proxies: TrustedProxies,
): Guard => {
  const guard = createGuard({ identity, proxies })
  return async (access, event) => {
    const isSafe = SAFE_METHODS.has(event.requestContext.http.method)
    if (isSafe) await settings.refresh()
    if (!isSafe || identity.isOpen()) await settings.latest()
    return guard(access, event)
  }
}

type HoldsNeeds = {
  identity: Pick<Identity, 'isOpen'> & { holds: HoldsRights }
  settings: CachedSettings
}

/** Whether callers still have their rights, with settings that are as recent as those of the guard. */
export const createHoldsRights =
  ({ identity, settings }: HoldsNeeds): HoldsRights =>
  async (principal) => {
    await settings.refresh()
    if (identity.isOpen()) await settings.latest()
    return identity.holds(principal)
  }

const isForAll = (access: Access) => access === 'public' || access === 'optional' || access === 'any'

const permitted = (access: Access, principal: Principal): Principal => {
  if (access === 'admin' && principal.role !== 'admin')
    throw new Problem('forbidden', 'admin_only', 'Only admins can do this')
  return access === 'public' ? ANONYMOUS : principal
}

const NO_SESSION = 'Your session has ended. Sign in again'

const notSignedIn = (code: string, message: string, headers: Record<string, string> = {}) =>
  new Problem('unauthenticated', code, message, { headers })

const unknownBearer = (message: string) =>
  notSignedIn('invalid_token', message, { 'www-authenticate': 'Bearer error="invalid_token"' })
