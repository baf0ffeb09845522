import { createHash, timingSafeEqual } from 'node:crypto'
import { plainAddress } from './address.ts'
import type { HttpEvent } from './event.ts'

/** What stands before the service: how many proxies, and the address that people know it by. */
export type Front = {
  /** Proxies in a row whose `X-Forwarded-*` headers are believed; 0 believes none. */
  trustedHops: number
  publicUrl?: string
  /** When given, they are believed only with this in `X-Origin-Secret`, which the outermost of them adds. */
  originSecret?: string
}

/** Where a request comes from, with which program by its own account, and the base URL that it was sent to. */
export type Origin = { address: string; baseUrl: string; isSecure: boolean; userAgent?: string }

/**
 * What the outermost trusted proxy said in a header. Each proxy appends to it, so that it is the n-th from the right,
 * else the first, and what a client writes in there stays out of reach.
 */
const forwarded = ({ headers }: HttpEvent, name: string, front: Front): string | undefined => {
  const { trustedHops } = front
  const value = headers[`x-forwarded-${name}`]
  if (trustedHops === 0 || value === undefined || !isVouchedFor(headers['x-origin-secret'], front))
    return undefined
  const said = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return said[Math.max(0, said.length - trustedHops)]
}

/** Whether the request came through the trusted proxies; a client that goes around them may forge their headers. */
const isVouchedFor = (given: string | undefined, { originSecret }: Front): boolean =>
  originSecret === undefined || timingSafeEqual(digest(given ?? ''), digest(originSecret))

const digest = (text: string) => createHash('sha256').update(text).digest()

/** The client's address: the one that the outermost trusted proxy saw. The last proxy is the peer itself. */
export const addressOf = (event: HttpEvent, front: Front): string =>
  plainAddress(forwarded(event, 'for', front) ?? event.requestContext.http.sourceIp)

export const originOf = (event: HttpEvent, front: Front): Origin => {
  const baseUrl = front.publicUrl ?? `${schemeOf(event, front)}://${hostOf(event, front)}`
  const userAgent = event.headers['user-agent']
  return {
    address: addressOf(event, front),
    baseUrl,
    isSecure: baseUrl.startsWith('https:'),
    ...(userAgent === undefined ? {} : { userAgent }),
  }
}

/** The host that the client asked for, in lower case. */
const hostOf = (event: HttpEvent, front: Front): string =>
  (forwarded(event, 'host', front) ?? event.headers.host ?? 'localhost').toLowerCase()

const schemeOf = (event: HttpEvent, front: Front) =>
  forwarded(event, 'proto', front)?.toLowerCase() === 'https' ? 'https' : 'http'
