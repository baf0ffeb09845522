import type { Route } from '../http/route.ts'

type Given = { params?: Values; query?: Values; body?: unknown }
type Values = Readonly<Record<string, unknown>>
type HttpRequest = {
  url: string
  init: { method: string; headers: Record<string, string>; body?: string }
}

/** The request that a call of a route becomes. */
export const requestOf = (
  { method, path, body, rawBody: takesBody = body }: Route,
  baseUrl: string,
  given: Given,
): HttpRequest => ({
  url: `${baseUrl.replace(/\/+$/, '')}${filled(path, given.params ?? {})}${queryOf(given.query ?? {})}`,
  init: {
    method,
    headers: { accept: 'application/json', ...(takesBody ? { 'content-type': 'application/json' } : {}) },
    ...(takesBody ? { body: JSON.stringify(given.body ?? {}) } : {}),
  },
})

const filled = (path: string, params: Values) =>
  path.replaceAll(/\{([^}]+)\}/g, (_whole, name: string) => encodeURIComponent(String(params[name])))

/** Lists are joined by commas; what is undefined is left out. */
const queryOf = (query: Values) => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return text && `?${text}`
}
