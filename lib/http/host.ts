import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import { createRefusal, refuseExpectation } from './bad-request.ts'
import type { HttpHandler, HttpResult } from './event.ts'
import { dropUnread, refuseHosts, requestTarget, toEvent, unreadBody } from './incoming.ts'
import { problemResult, toProblem } from './problem.ts'
import { withCommonHeaders } from './respond.ts'

/**
 * Delays calls to the end of the current turn of the event loop, and then makes them in sequence. Concurrent requests
 * then go through each step together, since their promises take turns: reads are 1.5 to 1.8 times as fast. Calls must not
 * throw.
 */
const createBatch = (): ((call: () => void) => void) => {
  let waiting: (() => void)[] = []
  const callAll = () => {
    const calls = waiting
    waiting = []
    for (const call of calls) call()
  }
  return (call) => {
    if (waiting.push(call) === 1) setImmediate(callAll)
  }
}

export type Dispatch = (path: string) => HttpHandler

const LINGER_MS = 30_000

const OPTIONS = { keepAliveTimeout: 65_000, requestTimeout: 120_000, requireHostHeader: false }

type Needs = { dispatch: Dispatch; ids: Ids; log: Log }

/** Serves the Lambda handlers on node:http with the events that API Gateway would send. */
export const createHost = ({ dispatch, ids, log }: Needs): Server => {
  const serve = async (request: IncomingMessage, response: ServerResponse, check = refuseHosts) => {
    const requestId = ids.next('req')
    try {
      check(request)
      const target = requestTarget(request)
      const handler = dispatch(target.path)
      const event = toEvent(request, target, requestId)
      // The handler reads the body after it has admitted the caller.
      const body = unreadBody(request)
      const gone = () => closeSignal(response)
      await send(response, await handler(event, body ? { gone, body } : { gone }))
    } catch (thrown) {
      if (hasLeft(thrown)) return response.destroy()
      if (response.headersSent) throw thrown
      await send(response, withCommonHeaders(problemResult(toProblem(thrown), requestId), requestId))
    }
  }
  const inTurn = createBatch()
  const listen = (request: IncomingMessage, response: ServerResponse, check?: typeof refuseHosts) => {
    const failed = (err: unknown) => {
      log.warn({ err, method: request.method, path: request.url?.split('?', 1)[0] }, 'connection failed')
      response.destroy()
    }
    // The system forgets the address when the caller disconnects; node caches it at the first read.
    void request.socket.remoteAddress
    inTurn(() => void serve(request, response, check).catch(failed))
  }
  return createServer(OPTIONS, listen)
    .on('checkExpectation', (request, response) => listen(request, response, refuseExpectation))
    .on('clientError', createRefusal({ ids }))
}

/** Aborts when the connection is closed; before the answer is sent, only the caller closes it. */
const closeSignal = (response: ServerResponse): AbortSignal => {
  const controller = new AbortController()
  if (response.closed) controller.abort()
  else response.once('close', () => controller.abort())
  return controller.signal
}

/** A caller that disconnects during its request or the answer is no error of the service. */
const hasLeft = (thrown: unknown) =>
  typeof thrown === 'object' &&
  thrown !== null &&
  'code' in thrown &&
  (thrown.code === 'ERR_STREAM_PREMATURE_CLOSE' || thrown.code === 'ECONNRESET')

const send = async (response: ServerResponse, { statusCode, headers, body }: HttpResult) => {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    response.writeHead(statusCode, headers)
    // A HEAD has no body, so no piece is made.
    return response.req.method === 'HEAD' ? void response.end() : pipeline(body, response)
  }
  // The caller disconnected, and writing would fail.
  if (response.destroyed) return
  // A 304 has no length of its own (RFC 9110, section 8.6).
  if (statusCode !== 304) headers['content-length'] = String(Buffer.byteLength(body))
  if (dropUnread(response.req)) return void response.writeHead(statusCode, headers).end(body)
  response.writeHead(statusCode, { ...headers, connection: 'close' }).write(body)
  endAfter(response.req, response)
}

const drop = () => undefined

/**
 * Ends an answer that was sent before its request was read, after the rest has been read and dropped: closing a
 * connection with unread data resets it, and the answer would be lost (RFC 9112, section 9.6).
 */
const endAfter = (request: IncomingMessage, response: ServerResponse) => {
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, LINGER_MS).unref()
  // A handler may still wait for the next piece, so `resume` alone has no effect.
  request.once('end', end).once('close', end).on('data', drop).resume()
}
