import type { HttpEvent } from './event.ts'

/** What stands before the service: how many proxies, and the address that people know it by. */
export type Front = {
  /** Proxies in a row whose `X-Forwarded-*` headers are believed; 0 believes none. */
  trustedHops: number
  publicUrl?: string
}

/** Where a request comes from, and the base URL that it was sent to. */
export type Origin = { address: string; baseUrl: string; isSecure: boolean }

/**
 * The client's address: the one that the outermost trusted proxy saw. Each proxy appends whom it heard from to
 * `X-Forwarded-For`, and the last one is the peer itself, so that what a client writes in there stays out of reach.
 */
export const addressOf = ({ headers, requestContext }: HttpEvent, { trustedHops }: Front): string => {
  const { sourceIp } = requestContext.http
  if (trustedHops === 0) return sourceIp
  const heard = (headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return heard[Math.max(0, heard.length - trustedHops)] ?? sourceIp
}

export const originOf = (event: HttpEvent, front: Front): Origin => {
  const baseUrl = front.publicUrl ?? `${schemeOf(event, front)}://${hostOf(event, front)}`
  return { address: addressOf(event, front), baseUrl, isSecure: baseUrl.startsWith('https:') }
}

/** The host that the client asked for, in lower case. */
export const hostOf = ({ headers }: HttpEvent, { trustedHops }: Front): string =>
  ((trustedHops > 0 ? headers['x-forwarded-host'] : undefined) ?? headers.host ?? 'localhost').toLowerCase()

const schemeOf = ({ headers }: HttpEvent, { trustedHops }: Front) =>
  trustedHops > 0 && headers['x-forwarded-proto']?.toLowerCase() === 'https' ? 'https' : 'http'
