import { type IncomingMessage, maxHeaderSize, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from '../core/errors.ts'
import type { Ids } from '../ports/ids.ts'
import { problemResult } from './problem.ts'
import { withCommonHeaders } from './respond.ts'

/** How long a client that still sends may take to read the refusal. */
const LINGER_MS = 2_000

/** Client and server may disagree about such a request, for example about its end, so the connection ends with it. */
export const malformed = (message: string, code = 'malformed_request') =>
  new Problem('invalid', code, message, { headers: { connection: 'close' } })

const faults: Readonly<Record<string, () => Problem>> = {
  HPE_HEADER_OVERFLOW: () =>
    malformed(`The headers are larger than ${maxHeaderSize} bytes`, 'headers_too_large'),
  ERR_HTTP_REQUEST_TIMEOUT: () => malformed('The request did not come in time', 'request_timeout'),
}

export const refuseExpectation = (): never => {
  throw malformed('The header Expect may ask for 100-continue only')
}

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

/** node:http stores here the next answer of a connection; its own refusals use it. */
type Connection = Duplex & { _httpMessage?: ServerResponse | null }

/**
 * Answers malformed requests in the form of every error, for the event `clientError` of a server. Answers to earlier
 * requests of the connection are sent first, and an answer that has begun is not interrupted.
 */
export const createRefusal = ({ ids }: { ids: Ids }) => {
  const refused = new WeakSet<Duplex>()

  const answer = (problem: Problem, socket: Connection): void => {
    const { _httpMessage: next } = socket
    if (!socket.writable) return void socket.destroy()
    if (next?.req.complete) return void next.once('close', () => answer(problem, socket))
    if (next?.headersSent) return void socket.destroy()
    const requestId = ids.next('req')
    socket.end(onTheWire(withCommonHeaders(problemResult(problem, requestId), requestId)))
    // A connection that is closed with unread data is reset, and the answer is lost (RFC 9112, section 9.6).
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
    socket.once('close', () => clearTimeout(timer))
  }

  return ({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void => {
    // The parser fails again for everything that follows.
    if (refused.has(socket)) return
    refused.add(socket)
    answer(faults[code]?.() ?? malformed('This is no HTTP request as RFC 9112 has it'), socket)
  }
}

const onTheWire = ({ headers, body }: ReturnType<typeof problemResult>): string => {
  const text = String(body)
  const fields = Object.entries({ ...headers, 'content-length': Buffer.byteLength(text) })
  return `HTTP/1.1 400 Bad Request\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`
}
