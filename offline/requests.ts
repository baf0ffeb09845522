import type { IncomingMessage } from 'node:http'
import type { Request } from '@hapi/hapi'

const split = (url: string): [path: string, query: string] => {
  const at = url.indexOf('?')
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

export const requestPath = ({ url = '/' }: IncomingMessage): string => split(url)[0]

const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/**
 * An address with broken percent-encoding in a form that hapi accepts, where each percent sign stands for itself;
 * undefined for any other. The function gets the unchanged path and answers it.
 */
export const mendedUrl = ({ url = '/' }: IncomingMessage): string | undefined => {
  const [path, query] = split(url)
  return isDecodable(path) ? undefined : `${path.replaceAll('%', '%25')}?${query}`
}

/**
 * Restores a request before the event of a function is made from it. hapi and serverless-offline normalise the path, keep
 * only the last of repeated headers, and rewrite JSON. Cookies are listed beside the headers, as in API Gateway.
 */
export const asSent = (request: Request): void => {
  const { req } = request.raw
  const { cookie, ...headers } = req.headers
  req.rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
  Object.assign(request, {
    // With a type other than JSON the body stays unchanged; the function reads the type from the headers.
    mime: 'text/plain',
    state: cookie === undefined ? null : Object.fromEntries(cookie.split(';').map(cookiePair)),
  })
  const [pathname, query] = split(req.url ?? '/')
  if (!pathname.startsWith('/')) return
  const url = { pathname, search: query && `?${query}`, searchParams: new URLSearchParams(query) }
  Object.defineProperty(request, 'url', { value: url })
}

const cookiePair = (text: string): [name: string, value: string] => {
  const [name = '', ...value] = text.trim().split('=')
  return [name, value.join('=')]
}
