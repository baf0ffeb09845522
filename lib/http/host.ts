import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import { tooLarge } from './body.ts'
import { withCommonHeaders } from './common-headers.ts'
import type { HttpEvent, HttpHandler, HttpResult } from './event.ts'
import { problemOf, problemResult } from './problem.ts'

/**
 * Finds the handler of a request, and how many bytes its body may have. Where those are many, `admits` tells by the
 * request without its body whether the handler would let the caller in.
 */
export type Dispatch = (
  method: string,
  path: string,
) => { handler: HttpHandler; bodyLimit: number; admits?: (event: HttpEvent) => Promise<boolean> }

/** The longest that the rest of a refused body is read for. */
const LINGER_MS = 30_000

type Needs = { dispatch: Dispatch; ids: Ids; log: Log }

/** Serves the Lambda handlers on node:http by giving them the events that API Gateway would. */
export const createHost = ({ dispatch, ids, log }: Needs): Server => {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const requestId = ids.next('req')
    const path = pathOf(request.url ?? '/')
    const { handler, bodyLimit, admits } = dispatch(request.method ?? 'GET', path)
    try {
      const event = toEvent(request, path, requestId)
      // Whoever is not let in is told so by the handler, and has not filled our memory.
      const isRead = hasBody(request) && (admits === undefined || (await admits(event)))
      if (isRead) event.body = await readBody(request, bodyLimit)
      await send(response, await handler(event, { gone: () => signalOf(response) }))
    } catch (thrown) {
      if (hasLeft(thrown)) return response.destroy()
      if (response.headersSent) throw thrown
      await send(response, withCommonHeaders(problemResult(problemOf(thrown), requestId), requestId))
    }
  }
  return createServer({ keepAliveTimeout: 65_000, requestTimeout: 120_000 }, (request, response) => {
    serve(request, response).catch((err) => {
      log.warn({ err, method: request.method, path: pathOf(request.url ?? '/') }, 'connection failed')
      response.destroy()
    })
  })
}

/** Aborts when the connection is closed, which before the answer is out is the caller's doing. */
const signalOf = (response: ServerResponse): AbortSignal => {
  const controller = new AbortController()
  if (response.closed) controller.abort()
  else response.once('close', () => controller.abort())
  return controller.signal
}

/** A caller that hangs up in the middle of its request or of the answer is no fault of ours. */
const hasLeft = (thrown: unknown) =>
  typeof thrown === 'object' &&
  thrown !== null &&
  'code' in thrown &&
  (thrown.code === 'ERR_STREAM_PREMATURE_CLOSE' || thrown.code === 'ECONNRESET')

const pathOf = (url: string) => {
  const at = url.indexOf('?')
  return at < 0 ? url : url.slice(0, at)
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Keeps no more than the limit; the rest of an oversized body is dropped until the answer closes the connection. */
const readBody = (request: IncomingMessage, limit: number): Promise<string> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) return reject(tooLarge(limit))
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else reject(tooLarge(limit))
    })
    request.on('end', () => {
      const [only] = chunks
      resolve((only && chunks.length === 1 ? only : Buffer.concat(chunks)).toString('utf8'))
    })
    request.on('error', reject)
  })

const toEvent = (request: IncomingMessage, path: string, requestId: string): HttpEvent => {
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

const send = async (response: ServerResponse, { statusCode, headers, body }: HttpResult) => {
  if (typeof body !== 'string') {
    response.writeHead(statusCode, headers)
    // Nobody would see the pieces, so none is made.
    return response.req.method === 'HEAD' ? void response.end() : pipeline(body, response)
  }
  headers['content-length'] = String(Buffer.byteLength(body))
  const isReadWhole = !hasBody(response.req) || response.req.readableEnded
  if (isReadWhole) return void response.writeHead(statusCode, headers).end(body)
  response.writeHead(statusCode, { ...headers, connection: 'close' }).write(body)
  endAfter(response.req, response)
}

/**
 * Ends an answer that was given before its request had been read, when the rest has been read and dropped: to close a
 * connection with unread data in it is to reset it, and the answer would be lost on its way (RFC 9112, section 9.6).
 */
const endAfter = (request: IncomingMessage, response: ServerResponse) => {
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, LINGER_MS).unref()
  request.once('end', end).once('close', end).resume()
}
