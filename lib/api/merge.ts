import type { Route, Routes } from '../http/route.ts'

/** The route tables of the service by domain. */
export type Tables = Readonly<Record<string, Routes>>

type Merged<T extends Tables> = { [Name in keyof T]: (table: T[Name]) => void }[keyof T] extends (
  table: infer All,
) => void
  ? All
  : never

/**
 * All tables as one. Throws when two routes share their name or what they answer: one of them would never be reached,
 * and the client would call the wrong one.
 */
export const mergeRoutes = <const T extends Tables>(tables: T): Merged<T> => {
  const routes = Object.values(tables).flatMap((table) => Object.entries(table))
  refuseRepeats(routes.map(([name]) => name))
  refuseRepeats(routes.map(([, route]) => answered(route)))
  // The names are distinct, so nothing was overwritten and the object has the routes of every table.
  return Object.fromEntries(routes) as Merged<T>
}

/** What a route answers, without the names of its parameters. */
const answered = ({ method, path }: Route) => `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`

const refuseRepeats = (keys: readonly string[]) => {
  const twice = keys.find((key, at) => keys.indexOf(key) !== at)
  if (twice !== undefined) throw new Error(`Two routes are ${twice}`)
}
