import { Problem } from '../core/errors.ts'
import type { HttpEvent } from './event.ts'
import { type Front, originOf } from './front.ts'

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i
/** What a proxy adds, and a program on this machine does not. */
const PROXY_HEADERS = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-server',
  'forwarded',
  'x-real-ip',
  'via',
  'cf-connecting-ip',
  'true-client-ip',
]
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Throws Problem `forbidden` unless the request was sent to this machine, and came from it as far as it tells. */
export const refuseForeignHost = ({ headers }: HttpEvent): void => {
  const isProxied = PROXY_HEADERS.some((name) => headers[name] !== undefined)
  if (isProxied || !LOOPBACK.test(headers.host ?? ''))
    throw new Problem(
      'forbidden',
      'host_not_allowed',
      'Without an access key this service answers on localhost only, and through no proxy',
    )
}

/**
 * Throws Problem `forbidden` when a page of another site writes. A browser sends `Origin` with every unsafe request, and
 * no page can forge it. The scheme counts: whoever sits on the way writes pages of our host without TLS.
 */
export const refuseForeignOrigin = (event: HttpEvent, front: Front): void => {
  const { origin } = event.headers
  if (origin === undefined || SAFE_METHODS.has(event.requestContext.http.method)) return
  const { baseUrl } = originOf(event, front)
  const ours = originIn(baseUrl)
  if (ours === undefined || originIn(origin) !== ours)
    throw new Problem(
      'forbidden',
      'foreign_origin',
      `Requests from pages of other sites than ${baseUrl} are refused; if people know this service by another address, set PUBLIC_URL`,
    )
}

const originIn = (url: string) => (URL.canParse(url) ? new URL(url).origin : undefined)
