import type { HttpEvent } from './event.ts'

export const SESSION_COOKIE = 'svc_session'

/**
 * A browser has several cookies of the name where a parent domain or a path has one of its own as well, and those that
 * are stale may come first. Each costs reads of storage with every request, so a stranger's list of them ends here.
 */
const MOST_COOKIES = 4

/** What a request says of who it comes from; a Bearer token goes before the cookies. */
type Credential = { by: 'bearer'; token: string } | { by: 'cookie'; tokens: readonly string[] }

export const credentialOf = (event: HttpEvent): Credential | undefined => {
  const bearer = bearerIn(event.headers.authorization)
  if (bearer !== undefined) return { by: 'bearer', token: bearer }
  const tokens = cookiesOf(event, SESSION_COOKIE)
  return tokens.length === 0 ? undefined : { by: 'cookie', tokens: tokens.slice(0, MOST_COOKIES) }
}

const NONE: readonly string[] = []
const BEARER = /^bearer(?:\s|$)/i

/**
 * The token of an `Authorization` header (RFC 6750, section 2.1); the empty text, which no user has, where it is not of
 * that form. Undefined for other schemes: browsers attach them by themselves, as they do cookies, and none is ours.
 */
export const bearerIn = (header: string | undefined): string | undefined =>
  header !== undefined && BEARER.test(header)
    ? (/^bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1] ?? '')
    : undefined

/**
 * The cookies of that name in a request: browsers send several where their paths or domains differ, the closest first.
 * API Gateway lists them beside the headers, node:http has them in one.
 */
export const cookiesOf = ({ cookies, headers }: HttpEvent, name: string): readonly string[] => {
  const pairs = cookies ?? headers.cookie?.split(';')
  if (pairs === undefined) return NONE
  const found = pairs.map((pair) => pair.trim()).filter((pair) => pair.startsWith(`${name}=`))
  return found.map((pair) => pair.slice(name.length + 1))
}
