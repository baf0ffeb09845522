import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import { createRefusal, refuseExpectation, refuseHosts } from './bad-request.ts'
import type { HttpHandler, HttpResult } from './event.ts'
import { dropUnread, pathOf, toEvent, unreadBody } from './incoming.ts'
import { problemOf, problemResult } from './problem.ts'
import { withCommonHeaders } from './respond.ts'

/**
 * Puts calls off to the end of the turn of the event loop that they come in, and then makes them one right after the
 * other. What many requests at once have to go through is then done for all of them step by step, since their promises
 * take turns. That is measurably quicker than one request after the other, most likely because the code of a step is still
 * in the cache of the processor when the next request comes to it. Calls must not throw.
 */
export const createBatch = (): ((call: () => void) => void) => {
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

/** Finds the handler of a request by its path. */
export type Dispatch = (path: string) => HttpHandler

/** The longest that the rest of a refused body is read for. */
const LINGER_MS = 30_000

/** A Host that is missing is refused here, in the form of every error. */
const OPTIONS = { keepAliveTimeout: 65_000, requestTimeout: 120_000, requireHostHeader: false }

type Needs = { dispatch: Dispatch; ids: Ids; log: Log }

/** Serves the Lambda handlers on node:http by giving them the events that API Gateway would. */
export const createHost = ({ dispatch, ids, log }: Needs): Server => {
  const serve = async (request: IncomingMessage, response: ServerResponse, check = refuseHosts) => {
    const requestId = ids.next('req')
    const path = pathOf(request.url ?? '/')
    const handler = dispatch(path)
    try {
      check(request)
      const event = toEvent(request, path, requestId)
      // The handler reads the body once it has let the caller in.
      const body = unreadBody(request)
      const gone = () => signalOf(response)
      await send(response, await handler(event, body ? { gone, body } : { gone }))
    } catch (thrown) {
      if (hasLeft(thrown)) return response.destroy()
      if (response.headersSent) throw thrown
      await send(response, withCommonHeaders(problemResult(problemOf(thrown), requestId), requestId))
    }
  }
  const inTurn = createBatch()
  const listen = (request: IncomingMessage, response: ServerResponse, check?: typeof refuseHosts) => {
    const failed = (err: unknown) => {
      log.warn({ err, method: request.method, path: pathOf(request.url ?? '/') }, 'connection failed')
      response.destroy()
    }
    // The system forgets it when the caller leaves, and node keeps it once asked.
    void request.socket.remoteAddress
    inTurn(() => void serve(request, response, check).catch(failed))
  }
  return createServer(OPTIONS, listen)
    .on('checkExpectation', (request, response) => listen(request, response, refuseExpectation))
    .on('clientError', createRefusal({ ids }))
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

const send = async (response: ServerResponse, { statusCode, headers, body }: HttpResult) => {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    response.writeHead(statusCode, headers)
    // A HEAD has no body, so no piece of it is made.
    return response.req.method === 'HEAD' ? void response.end() : pipeline(body, response)
  }
  // The caller hung up, and writing would be an error.
  if (response.destroyed) return
  // What has not changed has no length of its own (RFC 9110, section 8.6).
  const bytes = Buffer.byteLength(body)
  if (statusCode !== 304) headers['content-length'] = String(bytes)
  // A text of ASCII alone is the same bytes in Latin-1, as which it is written without a look at each character.
  const encoding = bytes === body.length ? 'latin1' : 'utf8'
  if (dropUnread(response.req)) return void response.writeHead(statusCode, headers).end(body, encoding)
  response.writeHead(statusCode, { ...headers, connection: 'close' }).write(body)
  endAfter(response.req, response)
}

const drop = () => undefined

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
  // A handler may still wait for the next piece, which keeps `resume` alone from having an effect.
  request.once('end', end).once('close', end).on('data', drop).resume()
}
