import { Problem } from '../core/errors.ts'
import type { HttpEvent } from './event.ts'
import type { Route } from './route.ts'

/** Where a route is found. */
export type Place = Pick<Route, 'method' | 'path' | 'writes'>

/** The methods of a route: one for GET answers HEAD as well (RFC 9110, section 9.3.2), unless it writes. */
export const methodsOf = ({ method, writes }: Pick<Place, 'method' | 'writes'>): readonly string[] =>
  method === 'GET' && !writes ? ['GET', 'HEAD'] : [method]

/** Answers a path that no route has: 404, or 405 with `Allow` when the path exists under other methods. */
export const noRoute = (routes: readonly Place[]) => {
  const known = routes.map((route) => ({ methods: methodsOf(route), pattern: patternOf(route.path) }))
  return ({ method, path }: { method: string; path: string }): never => {
    const allowed = [
      ...new Set(known.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
    ]
    if (allowed.length === 0) throw missing(method, path)
    throw new Problem('method_not_allowed', 'method_not_allowed', `${path} answers ${allowed.join(', ')}`, {
      headers: { allow: allowed.join(', ') },
    })
  }
}

/**
 * No route ends in a slash. The router of a function forgives one and a gateway does not, so that it is refused here, for
 * all to answer alike. Throws Problem `route_not_found`.
 */
export const refuseSlash = ({ requestContext }: Pick<HttpEvent, 'requestContext'>): void => {
  const { method, path } = requestContext.http
  if (path.endsWith('/')) throw missing(method, path)
}

const missing = (method: string, path: string) =>
  new Problem('missing', 'route_not_found', `No such endpoint: ${method} ${path}`)

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll(/[.+?^$|()[\]\\]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
