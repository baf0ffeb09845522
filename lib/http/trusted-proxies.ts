import { hash, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { definedFields } from '../core/defined-fields.ts'
import type { HttpEvent, HttpHandler } from './event.ts'

const BRACKETED = /^\[([^\]]*)\](?::\d+)?$/
const MAPPED = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/
const WITH_PORT = /^([^:]+):\d+$/

/** An address without port, brackets and zone; IPv6 in its shortest form, IPv4 in IPv6 as IPv4. */
export const plainAddress = (text: string): string => {
  const host = BRACKETED.exec(text)?.[1] ?? WITH_PORT.exec(text)?.[1] ?? text
  const [address = host] = host.split('%')
  const url = `http://[${address}]`
  if (!address.includes(':') || !URL.canParse(url)) return address
  const shortest = new URL(url).hostname.slice(1, -1)
  const [, high, low] = MAPPED.exec(shortest) ?? []
  return high && low ? [...toOctets(high), ...toOctets(low)].join('.') : shortest
}

const toOctets = (hex: string): readonly number[] => {
  const value = Number.parseInt(hex, 16)
  return [value >> 8, value & 255]
}

export type TrustedProxies = {
  /** The number of proxies whose `X-Forwarded-*` headers are trusted; 0 trusts none. */
  trustedHops: number
  publicUrl?: string
  /** When set, proxies are trusted only with this value in `X-Origin-Secret`, which the outermost one adds. */
  originSecret?: string
}

type Settings = { TRUST_PROXY: number; PUBLIC_URL?: string | undefined; ORIGIN_SECRET?: string | undefined }

export const toTrustedProxies = ({ TRUST_PROXY, PUBLIC_URL, ORIGIN_SECRET }: Settings): TrustedProxies => ({
  trustedHops: TRUST_PROXY,
  ...definedFields({ originSecret: ORIGIN_SECRET, publicUrl: PUBLIC_URL }),
})

export type Origin = { address: string; baseUrl: string; isSecure: boolean; userAgent?: string }

/**
 * The value that the outermost trusted proxy wrote into a header. Each proxy appends one, so it is the n-th from the
 * right, else the first; values that a client sends are never used.
 */
const forwarded = ({ headers }: HttpEvent, name: string, proxies: TrustedProxies): string | undefined => {
  const { trustedHops } = proxies
  const value = headers[`x-forwarded-${name}`]
  if (trustedHops === 0 || value === undefined || !isFromTrustedProxy(headers['x-origin-secret'], proxies))
    return undefined
  const addresses = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return addresses[Math.max(0, addresses.length - trustedHops)]
}

/** Whether the request came through the trusted proxies; a client that bypasses them may forge their headers. */
const isFromTrustedProxy = (given: string | undefined, { originSecret }: TrustedProxies): boolean =>
  originSecret === undefined || timingSafeEqual(digest(given ?? ''), digest(originSecret))

const digest = (text: string) => hash('sha256', text, 'buffer')

/** The client's address as the outermost trusted proxy saw it. The last proxy is the peer itself. */
export const clientAddress = (event: HttpEvent, proxies: TrustedProxies): string =>
  plainAddress(forwarded(event, 'for', proxies) ?? event.requestContext.http.sourceIp)

export const requestOrigin = (event: HttpEvent, proxies: TrustedProxies): Origin => {
  const baseUrl = proxies.publicUrl ?? `${clientScheme(event, proxies)}://${clientHost(event, proxies)}`
  const userAgent = event.headers['user-agent']
  return {
    address: clientAddress(event, proxies),
    baseUrl,
    isSecure: baseUrl.startsWith('https:'),
    ...(userAgent === undefined ? {} : { userAgent }),
  }
}

const clientHost = (event: HttpEvent, proxies: TrustedProxies): string =>
  (forwarded(event, 'host', proxies) ?? event.headers.host ?? 'localhost').toLowerCase()

const clientScheme = (event: HttpEvent, proxies: TrustedProxies) =>
  forwarded(event, 'proto', proxies)?.toLowerCase() === 'https' ? 'https' : 'http'

/** The headers in which the Lambda Web Adapter passes the contexts of request and invocation; it overwrites a caller's. */
const HEADER = 'x-amzn-request-context'
const INVOCATION = 'x-amzn-lambda-context'

const Context = z.object({ http: z.object({ sourceIp: z.string() }) })
const Invocation = z.object({ request_id: z.string() })

/**
 * A handler behind the adapter, which opens every connection itself: the caller's address is the one that the function
 * URL saw, and the id of the invocation is that of Lambda's log lines. A request without the header does not come from
 * the adapter and keeps its address.
 */
export const behindWebAdapter =
  (handler: HttpHandler): HttpHandler =>
  (event, context) => {
    const described = event.headers[HEADER]
    if (described === undefined) return handler(event, context)
    const sourceIp = parsed(Context, described)?.http.sourceIp
    if (sourceIp === undefined) return handler(event, context)
    const { requestContext } = event
    const awsRequestId = parsed(Invocation, event.headers[INVOCATION])?.request_id
    return handler(
      { ...event, requestContext: { ...requestContext, http: { ...requestContext.http, sourceIp } } },
      awsRequestId === undefined ? context : { ...context, awsRequestId },
    )
  }

const parsed = <Schema extends z.ZodType>(
  schema: Schema,
  json: string | undefined,
): z.output<Schema> | undefined => {
  try {
    return schema.parse(JSON.parse(json ?? ''))
  } catch {
    return undefined
  }
}
