import { DEFAULT_BODY_LIMIT } from './body.ts'
import type { HttpEvent, HttpHandler } from './event.ts'
import type { Guard } from './guard.ts'
import type { Dispatch } from './host.ts'
import type { Access, Route, Routes } from './route.ts'

/** A group of routes and the function that serves them. */
export type Group = { routes: Routes; handler: HttpHandler }

/**
 * Finds the group of a request by the first two segments of its path (`/api/tasks`), as a gateway in front of one
 * function per group would. What no group owns goes to `fallback`, which answers 404 in the service's own form. With a
 * guard, bodies over the ordinary limit are read of callers only whom it lets in.
 */
export const createDispatch = (groups: readonly Group[], fallback: HttpHandler, guard?: Guard): Dispatch => {
  const handlers = new Map<string, HttpHandler>()
  const limits = new Map<string, Pick<ReturnType<Dispatch>, 'bodyLimit' | 'admits'>>()
  for (const { routes, handler } of groups) {
    for (const route of Object.values(routes)) {
      const prefix = prefixOf(route.path)
      // The routes of the other group would never be reached.
      if ((handlers.get(prefix) ?? handler) !== handler) throw new Error(`Two groups have ${prefix}`)
      handlers.set(prefix, handler)
      if (route.bodyLimit !== undefined) limits.set(keyOf(route), limitOf(route.bodyLimit, route, guard))
    }
  }
  return (method, path) => ({
    handler: handlers.get(prefixOf(path)) ?? fallback,
    ...(limits.get(`${method} ${path}`) ?? ordinary),
  })
}

const ordinary = { bodyLimit: DEFAULT_BODY_LIMIT }

const limitOf = (bodyLimit: number, { access }: Route, guard: Guard | undefined) =>
  guard && bodyLimit > DEFAULT_BODY_LIMIT ? { bodyLimit, admits: admission(guard, access) } : { bodyLimit }

/** Whether the guard lets somebody in; why not, the handler finds when it asks again. */
const admission = (guard: Guard, access: Access) => async (event: HttpEvent) => {
  try {
    await guard(access, event)
    return true
  } catch {
    return false
  }
}

const keyOf = ({ method, path }: Route) => `${method} ${path}`

const prefixOf = (path: string) => {
  const second = path.indexOf('/', 1)
  const third = second < 0 ? -1 : path.indexOf('/', second + 1)
  return third < 0 ? path : path.slice(0, third)
}
