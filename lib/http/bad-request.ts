import { maxHeaderSize, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from '../core/errors.ts'
import type { Ids } from '../ports/ids.ts'
import { malformed } from './incoming.ts'
import { problemResult } from './problem.ts'
import { withCommonHeaders } from './respond.ts'

/** How long a client that still sends may take to read the refusal. */
const LINGER_MS = 2_000

const faults: Readonly<Record<string, () => Problem>> = {
  HPE_HEADER_OVERFLOW: () =>
    malformed(`The headers are larger than ${maxHeaderSize} bytes`, 'headers_too_large'),
  ERR_HTTP_REQUEST_TIMEOUT: () => malformed('The request timed out', 'request_timeout'),
}

export const refuseExpectation = (): never => {
  throw malformed('The header Expect supports 100-continue only')
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
    answer(faults[code]?.() ?? malformed('This is not a valid HTTP request (RFC 9112)'), socket)
  }
}

const onTheWire = ({ headers, body }: ReturnType<typeof problemResult>): string => {
  const text = String(body)
  const fields = Object.entries({ ...headers, 'content-length': Buffer.byteLength(text) })
  return `HTTP/1.1 400 Bad Request\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`
}
