import { Problem } from '../core/errors.ts'
import { LOCAL_ADMIN, type Principal } from '../core/principal.ts'
import type { HttpEvent } from './event.ts'
import type { Access } from './route.ts'

/** Decides who a request comes from and whether it may pass; throws Problem `unauthenticated` or `forbidden`. */
export type Guard = (access: Access, event: HttpEvent) => Principal

const ANONYMOUS: Principal = Object.freeze({ userId: 'anonymous', role: 'user' })
const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * The guard of a local installation without a key: one person, one machine, and that person is the admin.
 * The `Host` rule keeps out pages that rebind their own name to 127.0.0.1, the `Origin` rule those that post across
 * sites. A Bearer token is refused rather than ignored: none was ever issued.
 */
export const localGuard: Guard = (access, event) => {
  if (!LOOPBACK.test(event.headers.host ?? '')) {
    throw new Problem(
      'forbidden',
      'host_not_allowed',
      'Without an access key this service answers on localhost only',
    )
  }
  refuseForeignOrigin(event)
  if (access === 'public') return ANONYMOUS
  if (event.headers.authorization !== undefined) {
    throw new Problem(
      'unauthenticated',
      'invalid_token',
      'This token is not valid here; leave Authorization out',
    )
  }
  return LOCAL_ADMIN
}

/** A browser sends `Origin` with every unsafe request, and no page can forge it. */
const refuseForeignOrigin = ({ headers, requestContext }: HttpEvent) => {
  const { origin } = headers
  if (origin === undefined || SAFE_METHODS.has(requestContext.http.method)) return
  if (hostOf(origin) !== headers.host?.toLowerCase()) {
    throw new Problem('forbidden', 'foreign_origin', 'Requests from pages of other sites are refused')
  }
}

const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host.toLowerCase() : undefined)
