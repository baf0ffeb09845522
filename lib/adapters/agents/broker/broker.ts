import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { request as requestOverTls } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BrokeredKind } from '../../../core/brokered-kinds.ts'
import { decodedText } from '../../../core/cut-text.ts'
import type { Problem } from '../../../core/errors.ts'
import { isUsageLimit } from '../../../core/usage-limit.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Log } from '../../../ports/log.ts'
import { noProviderLimits, type ProviderLimits } from '../../../ports/provider-limits.ts'
import type { Bridged } from '../../node/command.ts'
import { brokered, findTarget, type Target } from './routes.ts'
import { createUsageReader, type Metered } from './usage.ts'

/** The key of a provider and its base URL, which ends in the version of its API. */
type BrokeredProvider = { apiKey: string; baseUrl: string }

/** A call of a model whose answer has begun. */
export type BrokeredCall = {
  kind: BrokeredKind
  status: number
  /** Why it failed, in words without secrets, once its answer has ended. */
  failure?: Problem
  /** Of a failure by a usage limit: resolves when runs that need the provider are held. */
  held?: Promise<void>
  /** Its answer did not reach its end, so its usage is not known in full: who left. */
  cutBy?: 'agent' | 'provider'
}

/** An error answer of a provider, with what of its body is read. */
export type RefusedCall = { status: number; headers: IncomingHttpHeaders; body: string }

/** A run of an agent, as the broker knows it. */
type BrokeredRun = {
  /** Why no further call may be made, as for a limit that is reached; undefined while calls may be made. */
  refusal(): string | undefined
  /**
   * Called for each answer of a model as it begins, with what is read of its usage: more up to the end of its bytes. What
   * it returns is called at the end of the answer.
   */
  onCall(call: BrokeredCall, usage: () => Metered): () => void
}

type Bytes = AsyncIterable<Buffer>

/** Listens on a socket that no other user of the machine reaches; `remove` removes it once the server is closed. */
type ListenOnSocket = (server: Server) => Promise<{ path: string; remove: () => Promise<void> }>

type Needs = {
  /** Listens for programs in sandboxes, which reach no port of this machine; absent where they have none. */
  listenOnSocket?: ListenOnSocket | undefined
  /** The provider of a kind; undefined where no key is configured. */
  provider: (kind: BrokeredKind) => BrokeredProvider | undefined
  /** The failure that an error answer tells, or the loss of a connection, in words without secrets. */
  readFailure: (kind: BrokeredKind, failed: RefusedCall | Error) => Problem
  /** The bytes of a body without its content codings. */
  withoutCodings: (body: Bytes, contentEncoding?: string) => Bytes
  limits?: ProviderLimits
  entropy: Entropy
  log: Log
}

/** The connections that the program of one run has at most, and its calls that are not answered to their end. */
const MOST_CONNECTIONS = 128
const MOST_CALLS = 64
/** A connection whose first request does not come is closed. */
const HEADERS_MS = 15_000
/** Of an error answer this much is passed on, and the rest of its last piece. */
const LONGEST_REFUSAL = 65_536

/** Headers of one connection (RFC 9110, section 7.6.1), and those that the broker sets itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...[
    'connection',
    'keep-alive',
    'proxy-authenticate',
    'proxy-authorization',
    'te',
    'trailer',
    'transfer-encoding',
  ],
  ...['upgrade', 'host', 'authorization', 'x-api-key', 'x-goog-api-key', 'cookie', 'accept-encoding'],
  // The method is that of the route.
  ...['x-http-method', 'x-http-method-override', 'x-method-override'],
])

const passedOn = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name)))

const tokenIn = ({ headers, url = '' }: IncomingMessage): string => {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const key = headers['x-api-key'] ?? headers['x-goog-api-key']
  return bearer ?? (typeof key === 'string' ? key : undefined) ?? /[?&]key=([^&#]*)/.exec(url)?.[1] ?? ''
}

/** Answers that say that there is no money left, in the form of each provider. Agents end by themselves after them. */
const quotaExceeded: Readonly<Record<BrokeredKind, { status: number; body: (message: string) => object }>> = {
  anthropic: {
    status: 402,
    body: (message) => ({ type: 'error', error: { type: 'billing_error', message } }),
  },
  openai: {
    status: 429,
    body: (message) => ({
      error: { message, type: 'insufficient_quota', param: null, code: 'insufficient_quota' },
    }),
  },
  google: {
    status: 429,
    body: (message) => ({
      error: {
        code: 429,
        message,
        status: 'RESOURCE_EXHAUSTED',
        // A quota of a day is not waited for.
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ quotaId: 'CostLimitPerDay', description: message }],
          },
        ],
      },
    }),
  },
}

/** An error in the form of each provider, so that agents understand it. */
const errorBody = (kind: BrokeredKind | undefined, code: number, type: string, message: string): object => {
  if (kind === 'anthropic') return { type: 'error', error: { type, message } }
  if (kind === 'google') return { error: { code, message, status: type.toUpperCase() } }
  return { error: { message, type } }
}

const answer = (response: ServerResponse, status: number, body: object, headers: object = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const refuseQuota = (response: ServerResponse, kind: BrokeredKind, message: string) => {
  const { status, body } = quotaExceeded[kind]
  // The clients of Anthropic and OpenAI repeat a 429 unless this header tells them not to.
  answer(response, status, body(message), { 'x-should-retry': 'false' })
}

type Refusal = { status: number; type: string; message: string }
const NOT_VALID: Refusal = {
  status: 401,
  type: 'authentication_error',
  message: 'The token of this run is not valid',
}
const NOT_PASSED_ON: Refusal = {
  status: 404,
  type: 'not_found_error',
  message: 'The broker does not pass this call on',
}
const withoutKey = (kind: BrokeredKind): Refusal => ({
  status: 403,
  type: 'permission_error',
  message: `The service has no key for ${kind}`,
})
const TOO_MANY: Refusal = {
  status: 429,
  type: 'rate_limit_error',
  message: `A run makes at most ${MOST_CALLS} calls at once`,
}

const refuse = (
  response: ServerResponse,
  kind: BrokeredKind | undefined,
  { status, type, message }: Refusal,
  headers: object = {},
) => answer(response, status, errorBody(kind, status, type, message), headers)

/** The beginning of an error answer, as text. */
const readRefusal = async (body: Bytes): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= LONGEST_REFUSAL) break
  }
  return decodedText(Buffer.concat(chunks), true)
}

/** Passes bytes on as they come, and ends once a copy of them was read as well. */
async function* readBeside(body: Bytes, copy: PassThrough, read: Promise<void>): Bytes {
  for await (const chunk of body) {
    if (!copy.destroyed) copy.write(chunk)
    yield chunk
  }
  copy.end()
  await read
}

/**
 * Stands between agents and the providers of models, so that no program of an agent ever has a key: it takes calls with
 * the token of a run, puts the operator's key in, passes bytes on as they come, and reads the usage that goes by. Each run
 * has an address of its own, so that a program that uses up its connections is in the way of no other.
 */
export const openBroker = ({
  listenOnSocket,
  provider,
  readFailure,
  withoutCodings,
  limits = noProviderLimits,
  entropy,
  log,
}: Needs) => {
  const hash = (token: string) => createHash('sha256').update(token).digest('hex')
  const closers = new Set<() => Promise<void>>()

  /** The answer of a provider that refuses a call, or fails: what it says goes on without the key that it may quote. */
  const passRefusal = async (
    from: IncomingMessage,
    response: ServerResponse,
    { kind, wire }: Target,
    { apiKey }: BrokeredProvider,
    run: BrokeredRun,
  ): Promise<void> => {
    const { statusCode: status = 502, headers } = from
    const call: BrokeredCall = { kind, status }
    const endCall = wire && run.onCall(call, () => ({}))
    const body = await readRefusal(withoutCodings(from, headers['content-encoding']))
    from.destroy()
    // Before the program has the end of the answer: its run may end at once.
    call.failure = readFailure(kind, { status, headers, body })
    if (isUsageLimit(call.failure)) {
      const { message: reason, retryAfterMs } = call.failure
      call.held = limits.limited(kind, { reason, retryAfterMs })
    }
    endCall?.()
    // A redirect is not followed, by the program neither: what is at its end knows nothing of the run.
    if (status < 400)
      return answer(response, 502, errorBody(kind, 502, 'api_error', 'The provider answered with a redirect'))
    const { 'content-length': _1, 'content-encoding': _2, ...kept } = passedOn(headers)
    response.writeHead(status, kept).end(body.replaceAll(apiKey, '[redacted]'))
  }

  const passAnswer = async (
    from: IncomingMessage,
    response: ServerResponse,
    { kind, wire }: Target,
    run: BrokeredRun,
  ): Promise<void> => {
    const { statusCode: status = 502, headers } = from
    response.writeHead(status, passedOn(headers))
    if (wire === undefined) return pipeline(from, response)
    const usage = createUsageReader(wire, headers['content-type'])
    const call: BrokeredCall = { kind, status }
    const endCall = run.onCall(call, usage.found)
    from.once('error', (thrown) => {
      if (call.cutBy === undefined) Object.assign(call, lost(kind, thrown))
    })
    response.once('close', () => {
      if (!response.writableEnded) call.cutBy ??= 'agent'
    })
    // Before the program has the end of the answer: its run may end at once.
    from.once('end', () => limits.answered(kind))
    const coding = headers['content-encoding']
    try {
      // The usage is read before the bytes are passed on: the next call comes after them.
      if (coding === undefined) await pipeline(from.on('data', usage.add).once('end', usage.end), response)
      else {
        const copy = new PassThrough()
        const read = async () => {
          for await (const piece of withoutCodings(copy, coding)) usage.add(piece)
        }
        const isRead = read().catch((err) => {
          log.warn({ err, kind }, 'the usage of an answer of a model cannot be read')
          copy.destroy()
        })
        await pipeline(readBeside(from, copy, isRead), response)
      }
    } finally {
      usage.end()
      endCall()
    }
  }

  const lost = (kind: BrokeredKind, thrown: Error) =>
    ({ kind, cutBy: 'provider', failure: readFailure(kind, thrown) }) as const

  const passOn = async (
    incoming: IncomingMessage,
    response: ServerResponse,
    target: Target,
    upstream: BrokeredProvider,
    run: BrokeredRun,
  ): Promise<void> => {
    const { keyHeader, key } = brokered[target.kind]
    const url = new URL(upstream.baseUrl + target.path)
    const outgoing = (url.protocol === 'http:' ? request : requestOverTls)(url, {
      method: incoming.method ?? 'POST',
      // The usage is read from the answer, which is passed on as it is: no compression, if the provider can do without.
      headers: {
        ...passedOn(incoming.headers),
        'accept-encoding': 'identity',
        [keyHeader]: key(upstream.apiKey),
      },
    })
    response.once('close', () => outgoing.destroy())
    const answered = new Promise<IncomingMessage>((resolve, reject) =>
      outgoing.once('response', resolve).once('error', reject),
    )
    pipeline(incoming, outgoing).catch(() => undefined)
    const from = await answered.catch((thrown: Error) => {
      const { kind, wire } = target
      if (wire && !response.destroyed) run.onCall({ status: 502, ...lost(kind, thrown) }, () => ({}))()
      throw thrown
    })
    const isAnswer = (from.statusCode ?? 502) < 300
    await (isAnswer
      ? passAnswer(from, response, target, run)
      : passRefusal(from, response, target, upstream, run))
  }

  const createServe = (token: string, run: BrokeredRun) => {
    const expected = hash(token)
    let calls = 0

    const call = async (incoming: IncomingMessage, response: ServerResponse, target: Target) => {
      const { kind } = target
      const refusal = run.refusal()
      if (refusal !== undefined) return refuseQuota(response, kind, refusal)
      const upstream = provider(kind)
      if (upstream === undefined) return refuse(response, kind, withoutKey(kind))
      if (calls >= MOST_CALLS) return refuse(response, kind, TOO_MANY, { 'retry-after': '1' })
      calls += 1
      try {
        await passOn(incoming, response, target, upstream, run)
      } finally {
        calls -= 1
      }
    }

    return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
      const target = findTarget(incoming.method ?? '', incoming.url ?? '')
      if (hash(tokenIn(incoming)) !== expected) return refuse(response, target?.kind, NOT_VALID)
      if (target === undefined) return refuse(response, undefined, NOT_PASSED_ON)
      await call(incoming, response, target)
    }
  }

  /** Listens on a socket for a sandbox, else on a port of loopback. */
  const listen = async (token: string, run: BrokeredRun) => {
    const serve = createServe(token, run)
    let hasWarned = false
    // An agent may think for long between two calls, and a model before its first byte.
    const options = { requestTimeout: 0, headersTimeout: HEADERS_MS, connectionsCheckingInterval: HEADERS_MS }
    const server = createServer(options, (incoming, response) => {
      serve(incoming, response).catch((err) => {
        // A program may leave as many calls as it likes.
        if (!hasWarned && !response.destroyed) {
          hasWarned = true
          const path = incoming.url?.split('?', 1)[0]
          log.warn(
            { err, path },
            'a call of an agent to its model failed; later ones of its run are not logged',
          )
        }
        if (response.headersSent) response.destroy()
        else answer(response, 502, errorBody(undefined, 502, 'api_error', 'The provider cannot be reached'))
      })
    })
    server.timeout = 0
    server.maxConnections = MOST_CONNECTIONS
    const socket = await listenOnSocket?.(server)
    if (socket === undefined) await once(server.listen(0, '127.0.0.1'), 'listening')
    return { server, socket }
  }

  /** An address and a token for one run, which are worth nothing to any other, nor once the run is closed. */
  const open = async (run: BrokeredRun) => {
    const token = `run_${entropy(32).toString('base64url')}`
    const { server, socket } = await listen(token, run)
    const close = async () => {
      closers.delete(close)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await socket?.remove()
    }
    closers.add(close)
    const port = socket ? PORT : (server.address() as AddressInfo).port
    const bridged: readonly Bridged[] = socket ? [{ port: PORT, socket: socket.path }] : []
    return { token, origin: `http://127.0.0.1:${port}`, bridged, close }
  }

  return {
    open,
    close: async (): Promise<void> => {
      await Promise.all([...closers].map((close) => close()))
    },
  }
}
export type Broker = ReturnType<typeof openBroker>

/** The port of the broker in a sandbox. */
const PORT = 3_129
