import { Problem } from '../core/errors.ts'
import type { Route } from './route.ts'

/** Answers a path that no route has: 404, or 405 with `Allow` when the path exists under other methods. */
export const noRoute = (routes: readonly Route[]) => {
  const known = routes.map((route) => ({ method: route.method, pattern: patternOf(route.path) }))
  return ({ method, path }: { method: string; path: string }): never => {
    const allowed = [
      ...new Set(known.filter(({ pattern }) => pattern.test(path)).map((route) => route.method)),
    ]
    if (allowed.length === 0)
      throw new Problem('missing', 'route_not_found', `No such endpoint: ${method} ${path}`)
    throw new Problem('method_not_allowed', 'method_not_allowed', `${path} answers ${allowed.join(', ')}`, {
      headers: { allow: allowed.join(', ') },
    })
  }
}

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll(/[.+?^$|()[\]\\]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`)
