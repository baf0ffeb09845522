import type { IncomingMessage } from 'node:http'
import type { Request } from '@hapi/hapi'

const split = (url: string): [path: string, query: string] => {
  const at = url.indexOf('?')
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

/** The path of a request as it was sent. */
export const pathOf = ({ url = '/' }: IncomingMessage): string => split(url)[0]

const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/**
 * An address with broken percent-encoding as one that hapi takes, in which each percent sign means itself; undefined for
 * any other. The function is given the path as it was sent and says what it makes of it.
 */
export const mendedUrl = ({ url = '/' }: IncomingMessage): string | undefined => {
  const [path, query] = split(url)
  return isDecodable(path) ? undefined : `${path.replaceAll('%', '%25')}?${query}`
}

/**
 * Undoes what hapi and serverless-offline made of a request before the event of a function is built from it: the path is
 * tidied, the last of several headers stands for all, JSON is parsed and written again. Cookies come beside the headers,
 * as API Gateway has them.
 */
export const asSent = (request: Request): void => {
  const { req } = request.raw
  const { cookie, ...headers } = req.headers
  req.rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
  Object.assign(request, {
    // With a type that is not JSON the body stays the text that it is; the function reads the type from the headers.
    mime: 'text/plain',
    state: cookie === undefined ? null : Object.fromEntries(cookie.split(';').map(pairOf)),
  })
  const [pathname, query] = split(req.url ?? '/')
  if (!pathname.startsWith('/')) return
  const url = { pathname, search: query && `?${query}`, searchParams: new URLSearchParams(query) }
  Object.defineProperty(request, 'url', { value: url })
}

const pairOf = (text: string): [name: string, value: string] => {
  const [name = '', ...value] = text.trim().split('=')
  return [name, value.join('=')]
}
