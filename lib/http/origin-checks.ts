import { Problem } from '../core/errors.ts'
import { type HttpEvent, hasBody } from './event.ts'
import { originOf, type TrustedProxies } from './trusted-proxies.ts'

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i
/** What a proxy adds, and a program on this machine does not; beside the prefixes below. */
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
/** `X-Forwarded-For` and all others of that family; `X-Original-Host` is what a proxy keeps of them. */
const PROXY_PREFIXES = ['x-forwarded', 'x-original-']
const FORM_TYPE = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)?\s*(?:[;,]|$)/i
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Throws Problem `forbidden` unless the request was sent to this machine, and came from it by its headers. */
export const refuseForeignHost = ({ headers }: HttpEvent): void => {
  const isProxied = Object.keys(headers).some(
    (name) => PROXY_HEADERS.has(name) || PROXY_PREFIXES.some((prefix) => name.startsWith(prefix)),
  )
  if (isProxied || !LOOPBACK.test(headers.host ?? ''))
    throw new Problem(
      'forbidden',
      'host_not_allowed',
      'Without an access key this service answers on localhost only, and through no proxy',
    )
}

/**
 * Throws Problem `forbidden` when a page of another site writes. A browser sends `Origin` with every unsafe request, and
 * no page can forge it. The scheme counts: without TLS, an attacker on the network path can write pages of our host.
 */
export const refuseForeignOrigin = (event: HttpEvent, proxies: TrustedProxies): void => {
  const { origin } = event.headers
  if (origin === undefined || SAFE_METHODS.has(event.requestContext.http.method)) return
  const { baseUrl } = originOf(event, proxies)
  const ours = originIn(baseUrl)
  if (ours === undefined || originIn(origin) !== ours)
    throw new Problem(
      'forbidden',
      'foreign_origin',
      `Requests from pages of other sites than ${baseUrl} are refused; if people know this service by another address, set PUBLIC_URL`,
    )
}

/**
 * Throws Problem `content_type` for a body as a form sends it. Those three types, or none, are all that a page of another
 * site may have a browser send unasked (Fetch, CORS-safelisted request-header); for any other it asks first, and is told
 * no.
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
 * Throws Problem `forbidden` when a page of another site has its reader's browser ask in passing, by an image or a frame:
 * for routes where asking changes something. A person who follows a link does so knowingly. Browsers say so themselves, over https and on
 * this machine (Fetch Metadata); callers that say nothing are none, or old.
 */
export const refuseEmbedding = ({ headers }: HttpEvent): void => {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest = 'document' } = headers
  const isForeign = site === 'cross-site' || site === 'same-site'
  if (isForeign && (mode !== 'navigate' || dest !== 'document'))
    throw new Problem(
      'forbidden',
      'foreign_origin',
      'This address changes something: pages of other sites may lead to it, and not ask for it themselves',
    )
}

const originIn = (url: string) => (URL.canParse(url) ? new URL(url).origin : undefined)
