import { Problem } from '../core/errors.ts'
import { hasBody } from './body.ts'
import type { HttpEvent } from './event.ts'
import { requestOrigin, type TrustedProxies } from './trusted-proxies.ts'

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i
/** Headers that proxies add, and programs on this machine do not; prefixes follow below. */
const PROXY_HEADERS = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-proxy-user-ip',
  'x-azure-clientip',
  'x-amzn-trace-id',
  'x-envoy-external-address',
  'true-client-ip',
  'fly-client-ip',
  'fastly-client-ip',
  'cf-connecting-ip',
  'cf-ray',
  'cdn-loop',
])
/** `X-Forwarded-For` and its family; `X-Original-Host` is a proxy's copy of the host. */
const PROXY_PREFIXES = ['x-forwarded', 'x-original-']
const FORM_TYPE = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)?\s*(?:[;,]|$)/i
/** The methods that only read (RFC 9110, section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Throws Problem `forbidden` unless the request's host is this machine, and no header shows a proxy. */
export const refuseForeignHost = ({ headers }: HttpEvent): void => {
  const isProxied = Object.keys(headers).some(
    (name) => PROXY_HEADERS.has(name) || PROXY_PREFIXES.some((prefix) => name.startsWith(prefix)),
  )
  if (isProxied || !LOOPBACK.test(headers.host ?? ''))
    throw new Problem(
      'forbidden',
      'host_not_allowed',
      'Without an access key, this service is only available on localhost and not through a proxy',
    )
}

/**
 * Throws Problem `forbidden` when a page of another site writes. A browser sends `Origin` with every unsafe request, and
 * no page can forge it. The scheme counts: without TLS, an attacker on the network path can write pages of this host.
 */
export const refuseForeignOrigin = (event: HttpEvent, proxies: TrustedProxies): void => {
  const { origin } = event.headers
  if (origin === undefined || SAFE_METHODS.has(event.requestContext.http.method)) return
  const { baseUrl } = requestOrigin(event, proxies)
  const ours = originIn(baseUrl)
  if (ours === undefined || originIn(origin) !== ours)
    throw new Problem(
      'forbidden',
      'foreign_origin',
      `Requests from pages of other sites than ${baseUrl} are rejected. If this service has another address, set PUBLIC_URL to it`,
    )
}

/**
 * Throws Problem `content_type` for a body of a form's type. A page of another site can send only these three types, or
 * none, without a preflight request (Fetch, CORS-safelisted request-header), and preflight requests are refused.
 */
export const refuseFormBody = (event: HttpEvent): void => {
  if (hasBody(event) && FORM_TYPE.test(event.headers['content-type'] ?? ''))
    throw new Problem(
      'invalid',
      'content_type',
      'Send the body with the header Content-Type: application/json',
    )
}

/**
 * Throws Problem `forbidden` when a page of another site makes its reader's browser send a GET, by an image or a frame:
 * for routes where a GET changes something. A person who follows a link intends it. Browsers mark such requests over
 * https and on this machine (Fetch Metadata); callers without the mark are programs, or old browsers.
 */
export const refuseEmbedding = ({ headers }: HttpEvent): void => {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest = 'document' } = headers
  const isForeign = site === 'cross-site' || site === 'same-site'
  if (isForeign && (mode !== 'navigate' || dest !== 'document'))
    throw new Problem(
      'forbidden',
      'foreign_origin',
      'This address changes data, so pages of other sites cannot call it',
    )
}

const originIn = (url: string) => (URL.canParse(url) ? new URL(url).origin : undefined)
