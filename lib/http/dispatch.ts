import type { HttpHandler } from './event.ts'
import type { Dispatch } from './host.ts'
import type { Routes } from './route.ts'

/** A group of routes and the function that serves them. */
export type Group = { routes: Routes; handler: HttpHandler }

/**
 * Finds the group of a request by the first two segments of its path (`/api/tasks`), as a gateway in front of one
 * function per group would. What no group owns goes to `fallback`, which answers 404 in the service's own form.
 */
export const createDispatch = (groups: readonly Group[], fallback: HttpHandler): Dispatch => {
  const handlers = new Map<string, HttpHandler>()
  for (const { routes, handler } of groups) {
    for (const route of Object.values(routes)) {
      const prefix = prefixOf(route.path)
      // The routes of the other group would never be reached.
      if ((handlers.get(prefix) ?? handler) !== handler) throw new Error(`Two groups have ${prefix}`)
      handlers.set(prefix, handler)
    }
  }
  return (path) => handlers.get(prefixOf(path)) ?? fallback
}

const prefixOf = (path: string) => {
  const second = path.indexOf('/', 1)
  const third = second < 0 ? -1 : path.indexOf('/', second + 1)
  return third < 0 ? path : path.slice(0, third)
}
