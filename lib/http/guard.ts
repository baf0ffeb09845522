import { Problem } from '../core/errors.ts'
import { ANONYMOUS, LOCAL_ADMIN, type Principal } from '../core/principal.ts'
import { credentialOf } from './credential.ts'
import type { HttpEvent } from './event.ts'
import { type Front, hostOf } from './front.ts'
import { type Access, isScope, type Scope } from './route.ts'

/** Decides who a request comes from and whether it may pass; throws Problem `unauthenticated` or `forbidden`. */
export type Guard = (access: Access, event: HttpEvent) => Principal | Promise<Principal>

/** How callers are recognised. */
export type Identity = {
  /** Whether nobody has to sign in: then whoever reaches the service is its admin. Refuses with a Problem when nobody can. */
  isOpen(): boolean
  /** Whose session it is; undefined when it is none, or none any more. */
  ofSession(token: string): Promise<Principal | undefined>
  /** Who made the API token; undefined when it is none that is valid. Throws Problem `forbidden` without the scope. */
  ofToken(token: string, scope: Scope): Promise<Principal | undefined>
}

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i
/** What a proxy adds, and a program on this machine does not. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'forwarded']
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * The one gate before every handler. An open installation belongs to one person on one machine: the `Host` rule keeps
 * out pages that rebind their own name to 127.0.0.1, and who comes through a proxy that rewrites it. The `Origin` rule
 * keeps out pages of other sites that write with what a browser attaches by itself, or sign it in; a Bearer token it does
 * not attach. One that is nobody's is refused rather than ignored.
 */
export const createGuard = ({ identity, front }: { identity: Identity; front: Front }): Guard => {
  const signedIn = async (access: Access, token: string): Promise<Principal> => {
    const principal = await identity.ofSession(token)
    if (principal === undefined) {
      if (access === 'optional') return ANONYMOUS
      throw notSignedIn('invalid_token', 'This session is not valid, or not any more: sign in again')
    }
    if (access === 'admin' && principal.role !== 'admin')
      throw new Problem('forbidden', 'admin_only', 'Only an admin may do this')
    return principal
  }

  const withToken = async (scope: Scope, token: string | undefined): Promise<Principal> => {
    if (token === undefined)
      throw notSignedIn('token_required', 'Send an API token: Authorization: Bearer svc_…')
    const principal = await identity.ofToken(token, scope)
    if (principal === undefined) throw notSignedIn('invalid_token', 'This API token is not valid')
    return principal
  }

  const unsigned = (access: Access, isOpen: boolean): Principal => {
    if (isOpen) return LOCAL_ADMIN
    if (access === 'optional') return ANONYMOUS
    throw notSignedIn('not_signed_in', 'Sign in first')
  }

  return (access, event) => {
    const isOpen = identity.isOpen()
    if (isOpen) refuseForeignHost(event)
    const credential = credentialOf(event)
    const bearer = credential?.by === 'bearer' ? credential.token : undefined
    if (bearer === undefined) refuseForeignOrigin(event, front)
    if (access === 'public') return ANONYMOUS
    if (isScope(access)) return withToken(access, bearer)
    // A cookie that is left from a time with a key means nothing now.
    const token = isOpen ? bearer : credential?.token
    return token === undefined ? unsigned(access, isOpen) : signedIn(access, token)
  }
}

const notSignedIn = (code: string, message: string) => new Problem('unauthenticated', code, message)

const refuseForeignHost = ({ headers }: HttpEvent) => {
  const isProxied = PROXY_HEADERS.some((name) => headers[name] !== undefined)
  if (isProxied || !LOOPBACK.test(headers.host ?? ''))
    throw new Problem(
      'forbidden',
      'host_not_allowed',
      'Without an access key this service answers on localhost only, and through no proxy',
    )
}

/** A browser sends `Origin` with every unsafe request, and no page can forge it. */
const refuseForeignOrigin = (event: HttpEvent, front: Front) => {
  const { origin } = event.headers
  if (origin === undefined || SAFE_METHODS.has(event.requestContext.http.method)) return
  const host = hostIn(origin)
  const ours = [hostOf(event, front), ...(front.publicUrl ? [hostIn(front.publicUrl)] : [])]
  if (host === undefined || !ours.includes(host))
    throw new Problem('forbidden', 'foreign_origin', 'Requests from pages of other sites are refused')
}

const hostIn = (url: string) => (URL.canParse(url) ? new URL(url).host.toLowerCase() : undefined)
