import type { HttpEvent } from './event.ts'
import type { Route } from './route.ts'

type Place = { method: Route['method']; before: string; after: string }

/**
 * Parameters that may hold slashes. Callers encode those; some gateways decode a path before they hand it on. Here they
 * are encoded again, so that a router takes the parameter for the one segment that it is.
 */
export const encodeWildcardPath = (routes: readonly Pick<Route, 'method' | 'path' | 'greedy'>[]) => {
  const places = routes.filter(({ greedy }) => greedy).map(placeOf)
  return (event: Pick<HttpEvent, 'requestContext' | 'pathParameters'>): void => {
    const { http } = event.requestContext
    const place = places.find((one) => isAt(one, http.path) && answers(one, http.method))
    if (place === undefined) return
    const { before, after } = place
    const value = http.path.slice(before.length, http.path.length - after.length)
    http.path = before + encoded(value) + after
    // A gateway's own is all that follows, and a router believes it.
    event.pathParameters = {}
  }
}

const placeOf = ({ method, path }: Pick<Route, 'method' | 'path'>): Place => {
  const from = path.indexOf('{')
  return { method, before: path.slice(0, from), after: path.slice(path.indexOf('}') + 1) }
}

const isAt = ({ before, after }: Place, path: string) =>
  path.startsWith(before) && path.endsWith(after) && path.length > before.length + after.length

const answers = ({ method }: Place, asked: string) =>
  method === asked || (method === 'GET' && asked === 'HEAD')

/** What cannot be decoded has been decoded already. */
const encoded = (value: string): string => {
  try {
    decodeURIComponent(value)
    return value.replaceAll('/', '%2F')
  } catch {
    return encodeURIComponent(value)
  }
}
