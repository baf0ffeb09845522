import type { HttpEvent } from './event.ts'

export const SESSION_COOKIE = 'svc_session'

/**
 * A browser sends several cookies of the name when a parent domain or a path has its own, and stale ones may come first.
 * Each costs reads of storage at every request, so the number is limited.
 */
const MOST_COOKIES = 4

type Credential = { by: 'bearer'; token: string } | { by: 'cookie'; tokens: readonly string[] }

export const readCredential = (event: HttpEvent): Credential | undefined => {
  const bearer = bearerIn(event.headers.authorization)
  if (bearer !== undefined) return { by: 'bearer', token: bearer }
  const tokens = readCookies(event, SESSION_COOKIE)
  return tokens.length === 0 ? undefined : { by: 'cookie', tokens: tokens.slice(0, MOST_COOKIES) }
}

const NONE: readonly string[] = []
const BEARER = /^bearer(?:\s|$)/i

/**
 * The token of an `Authorization` header (RFC 6750, section 2.1); an empty text, which no user has, when it is malformed.
 * Undefined for other schemes: browsers attach them themselves, like cookies, and the service uses none.
 */
export const bearerIn = (header: string | undefined): string | undefined =>
  header !== undefined && BEARER.test(header)
    ? (/^bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1] ?? '')
    : undefined

/**
 * The cookies of a name in a request: browsers send several if their paths or domains differ, the closest first. API
 * Gateway lists them beside the headers, node:http has them in one header.
 */
export const readCookies = ({ cookies, headers }: HttpEvent, name: string): readonly string[] => {
  const pairs = cookies ?? headers.cookie?.split(';')
  if (pairs === undefined) return NONE
  const cookiesOfName = pairs.map((pair) => pair.trim()).filter((pair) => pair.startsWith(`${name}=`))
  return cookiesOfName.map((pair) => pair.slice(name.length + 1))
}
