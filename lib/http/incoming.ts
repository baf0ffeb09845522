import type { IncomingMessage } from 'node:http'
import { tooLarge } from './body.ts'
import type { HttpEvent } from './event.ts'

export const pathOf = (url: string) => {
  const at = url.indexOf('?')
  return at < 0 ? url : url.slice(0, at)
}

export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/**
 * The bytes of a body. Keeps no more than the limit; the rest of an oversized body is dropped until the answer closes the
 * connection. Throws what ended the connection when that is gone.
 */
export const readBody = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  if (!request.complete) return gathered(request, limit)
  // A small body comes with its head, and costs less to take out of the stream at once than to let flow.
  const whole: Buffer = request.read() ?? Buffer.alloc(0)
  if (whole.length > limit) throw tooLarge(limit)
  return whole
}

/** A body that comes in pieces. */
const gathered = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (request.errored) return reject(request.errored)
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else reject(tooLarge(limit))
    })
    request.on('end', () => {
      const [only] = chunks
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks))
    })
    request.on('error', reject)
  })

/** Whether nothing of a request is left to be read. */
export const isReadWhole = (request: IncomingMessage): boolean =>
  !hasBody(request) || (request.complete && request.readableLength === 0)

/** The event that API Gateway would make of a request, its body yet to be read. */
export const toEvent = (request: IncomingMessage, path: string, requestId: string): HttpEvent => {
  const url = request.url ?? '/'
  const rawQueryString = url.length > path.length ? url.slice(path.length + 1) : ''
  const method = request.method ?? 'GET'
  return {
    version: '2.0',
    routeKey: '',
    rawPath: path,
    rawQueryString,
    // node:http joins repeated headers by a comma, but for set-cookie, which is no request header.
    headers: request.headers as HttpEvent['headers'],
    ...(rawQueryString ? { queryStringParameters: queryOf(rawQueryString) } : {}),
    requestContext: { requestId, http: { method, path, sourceIp: request.socket.remoteAddress ?? '' } },
    isBase64Encoded: false,
  }
}

/** As API Gateway does: the values of a repeated name are joined by a comma. */
const queryOf = (text: string) => {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values.get(name)
    values.set(name, before === undefined ? value : `${before},${value}`)
  }
  return Object.fromEntries(values)
}
