import { Problem } from '../core/errors.ts'
import type { HttpEvent, HttpHandler } from './event.ts'
import type { Dispatch } from './host.ts'
import type { Route, Routes } from './route.ts'

export type Group = { routes: Routes; handler: HttpHandler }

/**
 * Finds the group of a request by the first two segments of its path (`/api/tasks`), as a gateway with one function per
 * group would. Other paths go to `fallback`, which answers 404 in the form of every error.
 */
export const createDispatch = (groups: readonly Group[], fallback: HttpHandler): Dispatch => {
  const handlers = new Map<string, HttpHandler>()
  for (const { routes, handler } of groups) {
    for (const route of Object.values(routes)) {
      const prefix = groupPrefix(route.path)
      // The routes of the other group would be unreachable.
      if ((handlers.get(prefix) ?? handler) !== handler) throw new Error(`Two groups have ${prefix}`)
      handlers.set(prefix, handler)
    }
  }
  return (path) => handlers.get(groupPrefix(path)) ?? fallback
}

const groupPrefix = (path: string) => {
  const second = path.indexOf('/', 1)
  const third = second < 0 ? -1 : path.indexOf('/', second + 1)
  return third < 0 ? path : path.slice(0, third)
}

export type Place = Pick<Route, 'method' | 'path' | 'writes'>

/** The methods of a route: GET includes HEAD (RFC 9110, section 9.3.2), unless it writes. */
export const routeMethods = ({ method, writes }: Pick<Place, 'method' | 'writes'>): readonly string[] =>
  method === 'GET' && !writes ? ['GET', 'HEAD'] : [method]

/** Answers a path without a route: 404, or 405 with `Allow` when other methods have it. */
export const noRoute = (routes: readonly Place[]) => {
  const places = routes.map((route) => ({ methods: routeMethods(route), pattern: pathPattern(route.path) }))
  return ({ method, path }: { method: string; path: string }): never => {
    const allowed = [
      ...new Set(places.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
    ]
    if (allowed.length === 0) throw missing(method, path)
    throw new Problem('method_not_allowed', 'method_not_allowed', `${path} supports ${allowed.join(', ')}`, {
      headers: { allow: allowed.join(', ') },
    })
  }
}

/** Refuses a path that ends in a slash: a function's router ignores the slash, and a gateway does not. */
export const refuseSlash = ({ requestContext }: Pick<HttpEvent, 'requestContext'>): void => {
  const { method, path } = requestContext.http
  if (path.endsWith('/')) throw missing(method, path)
}

const missing = (method: string, path: string) =>
  new Problem('missing', 'route_not_found', `No such endpoint: ${method} ${path}`)

const pathPattern = (path: string) =>
  new RegExp(`^${path.replaceAll(/[.+?^$|()[\]\\]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)

type Wildcard = { method: Route['method']; before: string; after: string }

/**
 * Encodes parameters that may contain slashes. Callers encode the slashes, but some gateways decode a path before they
 * pass it on; encoded again, the parameter is one segment for the router.
 */
export const encodeWildcardPath = (routes: readonly Pick<Route, 'method' | 'path' | 'wildcard'>[]) => {
  const wildcards = routes.filter(({ wildcard }) => wildcard).map(toWildcard)
  return (event: Pick<HttpEvent, 'requestContext' | 'pathParameters'>): void => {
    const { http } = event.requestContext
    const at = wildcards.find((one) => isAt(one, http.path) && answers(one, http.method))
    if (at === undefined) return
    const { before, after } = at
    const value = http.path.slice(before.length, http.path.length - after.length)
    http.path = before + encoded(value) + after
    // A gateway's own parameter is the whole rest of the path, and a router would use it.
    event.pathParameters = {}
  }
}

const toWildcard = ({ method, path }: Pick<Route, 'method' | 'path'>): Wildcard => {
  const from = path.indexOf('{')
  return { method, before: path.slice(0, from), after: path.slice(path.indexOf('}') + 1) }
}

const isAt = ({ before, after }: Wildcard, path: string) =>
  path.startsWith(before) && path.endsWith(after) && path.length > before.length + after.length

const answers = ({ method }: Wildcard, asked: string) =>
  method === asked || (method === 'GET' && asked === 'HEAD')

const encoded = (value: string): string => {
  try {
    decodeURIComponent(value)
    return value.replaceAll('/', '%2F')
  } catch {
    return encodeURIComponent(value)
  }
}
