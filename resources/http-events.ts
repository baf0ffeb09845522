import type { Route, Routes } from '../lib/http/route.ts'
import { routeMethods } from '../lib/http/router.ts'

/** The function that serves a group of routes, where it has another name. */
const SERVED_BY: Readonly<Record<string, string>> = {
  api: 'openapi',
  accounts: 'auth',
  users: 'auth',
  oauth: 'auth',
  audit: 'settings',
  approvals: 'security',
  holds: 'queue',
  inbox: 'notifications',
  alerts: 'notifications',
  tokens: 'gateway',
  // It knows the secrets of webhooks, and so whether events of the code host are accepted.
  connections: 'webhooks',
  // It may open the tokens of linked accounts, which are revoked.
  disconnects: 'auth',
  reachable: 'auth',
}
/**
 * Groups that call models, whose keys the streaming function alone has, or whose answers do not end: the distribution
 * sends them there.
 */
const STREAMED_ONLY: readonly string[] = ['models', 'modelKeys', 'agentic', 'live']

/** The HTTP API accepts a parameter with slashes only at the end of a path. */
const gatewayPath = ({ path, wildcard }: Route) => (wildcard ? path.replace(/\{(\w+)\}.*$/, '{$1+}') : path)

/** The events of each function behind the HTTP API: the methods and paths of its routes. */
export const httpEvents = (tables: Readonly<Record<string, Routes>>) => {
  const events: Record<string, { httpApi: string }[]> = {}
  for (const [group, routes] of Object.entries(tables)) {
    if (STREAMED_ONLY.includes(group)) continue
    const served = Object.values(routes).flatMap((route) =>
      routeMethods(route).map((method) => ({ httpApi: `${method} ${gatewayPath(route)}` })),
    )
    const name = SERVED_BY[group] ?? group
    events[name] = [...(events[name] ?? []), ...served]
  }
  return events
}
