import type { IncomingMessage } from 'node:http'
import { Problem } from '../core/errors.ts'
import { hasBody, tooLarge } from './body.ts'
import type { HttpEvent, UnreadBody } from './event.ts'

/** Client and server may disagree about such a request, for example about its end, so the connection ends with it. */
export const malformed = (message: string, code = 'malformed_request') =>
  new Problem('invalid', code, message, { headers: { connection: 'close' } })

/** Throws Problem `malformed_request` unless a request has exactly one Host header (RFC 9112, section 3.2). */
export const refuseHosts = ({ rawHeaders, httpVersion }: IncomingMessage): void => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  // HTTP/1.0 does not require it.
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) throw malformed('Send one Host header')
}

export const unreadBody = (request: IncomingMessage): UnreadBody | undefined =>
  hasUnread(request)
    ? { bytes: (limit) => readBody(request, limit), pieces: (limit) => bodyPieces(request, limit) }
    : undefined

// node:http has several values for few names only, and none of them concerns the body.
const hasUnread = ({ headers }: IncomingMessage) => hasBody({ headers: headers as HttpEvent['headers'] })

const refuseAnnounced = ({ headers }: IncomingMessage, limit: number) => {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
}

/** The bytes of a body, at most `limit`. Throws Problem `request_aborted` when the caller disconnects. */
const readBody = (request: IncomingMessage, limit: number): Buffer | Promise<Buffer> => {
  refuseAnnounced(request, limit)
  if (!request.complete) return readPieces(request, limit)
  // A small body arrives with its head; one read is cheaper than a flowing stream.
  const bytes: Buffer = request.read() ?? Buffer.alloc(0)
  if (bytes.length > limit) throw tooLarge(limit)
  return bytes
}

const readPieces = async (request: IncomingMessage, limit: number): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(bodyPieces(request, limit)))

/** Pieces as they arrive: nothing more is read while the caller handles a piece. */
async function* bodyPieces(request: IncomingMessage, limit: number): AsyncGenerator<Buffer, void> {
  refuseAnnounced(request, limit)
  let size = 0
  // The answer uses the same connection, even if reading fails.
  const pieces = request.iterator({ destroyOnReturn: false })
  try {
    for await (const piece of pieces) {
      size += piece.length
      if (size > limit) throw tooLarge(limit)
      yield piece
    }
  } catch (thrown) {
    throw request.errored ? aborted(request.errored) : thrown
  }
}

const aborted = (cause: Error) =>
  new Problem('invalid', 'request_aborted', 'The request was aborted', { cause })

/** Drops the unread part of a request that has arrived. Returns whether the request is complete. */
export const dropUnread = (request: IncomingMessage): boolean => {
  if (!hasUnread(request)) return true
  if (!request.complete) return false
  while (request.read() !== null);
  return true
}

/** The path and query of a request, and its host: of the target in absolute form, else of the Host header. */
type RequestTarget = { path: string; query: string; host: string | undefined }

const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i
const HTTP_URL = /^https?:\/\/([^/?#]*)([^?#]*)(\?[^#]*)?$/i
/** A name, an IPv4 address or an IPv6 address in brackets, and a port. Users and passwords are refused. */
const AUTHORITY = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/**
 * Reads the target of a request (RFC 9112, section 3.2). The host of a target in absolute form replaces the Host header,
 * as a server must do by section 3.2.2: guards then check the host that the request names. Throws Problem
 * `malformed_request` for a target in absolute form that is no http or https URL of a host.
 */
export const requestTarget = ({ url = '/', headers }: IncomingMessage): RequestTarget => {
  if (url.startsWith('/') || !ABSOLUTE.test(url)) return { ...split(url), host: headers.host }
  const [, host = '', path, query = ''] = HTTP_URL.exec(url) ?? []
  if (!AUTHORITY.test(host) || !URL.canParse(`http://${host}`))
    throw malformed('The request target is not a URL of this service')
  return { path: path || '/', query: query.slice(1), host }
}

const split = (url: string): { path: string; query: string } => {
  const at = url.indexOf('?')
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) }
}

/** The event that API Gateway would make of a request, with its body unread. */
export const toEvent = (
  request: IncomingMessage,
  { path, query, host }: RequestTarget,
  requestId: string,
): HttpEvent => {
  const method = request.method ?? 'GET'
  // node:http joins repeated headers by a comma, except set-cookie, which is no request header.
  const headers = request.headers as HttpEvent['headers']
  return {
    version: '2.0',
    routeKey: '',
    rawPath: path,
    rawQueryString: query,
    headers: host === undefined || host === headers.host ? headers : { ...headers, host },
    ...(query ? { queryStringParameters: joinQuery(query) } : {}),
    requestContext: { requestId, http: { method, path, sourceIp: request.socket.remoteAddress ?? '' } },
    isBase64Encoded: false,
  }
}

const joinQuery = (text: string) => {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values.get(name)
    values.set(name, before === undefined ? value : `${before},${value}`)
  }
  return Object.fromEntries(values)
}
