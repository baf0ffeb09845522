import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { request as requestOverTls } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Log } from '../../../ports/log.ts'
import { noProviderLimits, type ProviderLimits, type UsageLimit } from '../../../ports/provider-limits.ts'
import type { Bridged } from '../../node/command.ts'
import { type BrokeredKind, brokered, findTarget, type Target } from './routes.ts'
import { createUsageReader, type Metered } from './usage.ts'

/** The key of a provider and its base URL, which ends in the version of its API. */
type BrokeredProvider = { apiKey: string; baseUrl: string }

/** A call whose answer has begun. One that is `metered` was answered by a model, which says its usage. */
export type BrokeredCall = {
  kind: BrokeredKind
  status: number
  metered: boolean
  /** The usage limit that refused it, once its answer has ended; `stored` resolves when runs that need the provider are held. */
  limit?: UsageLimit & { stored: Promise<void> }
}

/** An error answer of a provider, with what of its body is read. */
export type RefusedCall = { status: number; headers: IncomingHttpHeaders; body: string }

/** A run of an agent, as the broker knows it. */
type BrokeredRun = {
  /** Why no further call may be made, as for a limit that is reached; undefined while calls may be made. */
  refusal(): string | undefined
  /** Called for each answer as it begins, with what is read of its usage: more up to the end of its bytes. */
  onCall(call: BrokeredCall, usage: () => Metered): void
}

type Needs = {
  /** The provider of a kind; undefined where no key is configured. */
  provider: (kind: BrokeredKind) => BrokeredProvider | undefined
  /** The usage limit that an error answer names, in words without secrets; undefined where it names none. */
  readLimit?: (kind: BrokeredKind, refused: RefusedCall) => UsageLimit | undefined
  limits?: ProviderLimits
  entropy: Entropy
  log: Log
}

/** Of an error answer as much is read, and the rest of its last piece. */
const LONGEST_REFUSAL = 65_536

/** Keeps the beginning of an answer that is passed on. */
const createBeginning = () => {
  const chunks: Buffer[] = []
  let bytes = 0
  return {
    add: (chunk: Buffer): void => {
      if (bytes < LONGEST_REFUSAL) chunks.push(chunk)
      bytes += chunk.length
    },
    text: (): string => Buffer.concat(chunks).toString(),
  }
}

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
const errorBody = (kind: BrokeredKind | undefined, type: string, message: string): object => {
  if (kind === 'anthropic') return { type: 'error', error: { type, message } }
  if (kind === 'google') return { error: { code: 403, message, status: type.toUpperCase() } }
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

/**
 * Stands between agents and the providers of models, so that no program of an agent ever has a key: it takes calls with
 * the token of a run, puts the operator's key in, passes bytes on as they come, and reads the usage that goes by.
 */
export const createBroker = ({ provider, readLimit, limits = noProviderLimits, entropy, log }: Needs) => {
  const runs = new Map<string, BrokeredRun>()
  const hash = (token: string) => createHash('sha256').update(token).digest('hex')

  const passOn = async (
    incoming: IncomingMessage,
    response: ServerResponse,
    { kind, path, wire }: Target,
    { apiKey, baseUrl }: BrokeredProvider,
    run: BrokeredRun,
  ): Promise<void> => {
    const { keyHeader, key } = brokered[kind]
    const url = new URL(baseUrl + path)
    const outgoing = (url.protocol === 'http:' ? request : requestOverTls)(url, {
      method: incoming.method ?? 'POST',
      // The usage is read from the answer, which is passed on as it is: no compression.
      headers: { ...passedOn(incoming.headers), 'accept-encoding': 'identity', [keyHeader]: key(apiKey) },
    })
    response.once('close', () => outgoing.destroy())
    const answered = new Promise<IncomingMessage>((resolve, reject) =>
      outgoing.once('response', resolve).once('error', reject),
    )
    const sent = pipeline(incoming, outgoing)
    sent.catch(() => undefined)
    const from = await answered
    const { statusCode = 502, headers } = from
    response.writeHead(statusCode, passedOn(headers))
    const usage = wire && statusCode < 300 ? createUsageReader(wire, headers['content-type']) : undefined
    const call: BrokeredCall = { kind, status: statusCode, metered: usage !== undefined }
    run.onCall(call, () => usage?.found() ?? {})
    // The usage is read before the bytes are passed on: the next call comes after them.
    if (usage) from.on('data', usage.add).once('end', usage.end)
    const refusal = statusCode >= 400 ? createBeginning() : undefined
    if (refusal) from.on('data', refusal.add)
    // Before the program has the end of the answer: its run may end at once.
    from.once('end', () => {
      const body = refusal?.text() ?? ''
      const limit = refusal && readLimit?.(kind, { status: statusCode, headers, body })
      if (limit) call.limit = { ...limit, stored: limits.limited(kind, limit) }
      else if (wire && statusCode < 300) limits.answered(kind)
    })
    try {
      await pipeline(from, response)
    } finally {
      usage?.end()
    }
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = findTarget(incoming.method ?? '', incoming.url ?? '')
    const run = runs.get(hash(tokenIn(incoming)))
    if (run === undefined)
      return answer(
        response,
        401,
        errorBody(target?.kind, 'authentication_error', 'The token of this run is not valid'),
      )
    if (target === undefined)
      return answer(
        response,
        404,
        errorBody(undefined, 'not_found_error', 'The broker does not pass this call on'),
      )
    const refusal = run.refusal()
    if (refusal !== undefined) return refuseQuota(response, target.kind, refusal)
    const known = provider(target.kind)
    if (known === undefined)
      return answer(
        response,
        403,
        errorBody(target.kind, 'permission_error', `The service has no key for ${target.kind}`),
      )
    await passOn(incoming, response, target, known, run)
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((err) => {
      log.warn({ err, path: incoming.url?.split('?', 1)[0] }, 'a call of an agent to its model failed')
      if (response.headersSent) response.destroy()
      else answer(response, 502, errorBody(undefined, 'api_error', 'The provider cannot be reached'))
    })
  })
  // An agent may think for long between two calls, and a model before its first byte.
  server.requestTimeout = 0
  server.timeout = 0

  return {
    server,
    /** A token for one run, which is worth nothing once the run is closed. */
    open: (run: BrokeredRun): { token: string; close: () => void } => {
      const token = `run_${entropy(32).toString('base64url')}`
      const key = hash(token)
      runs.set(key, run)
      return { token, close: () => void runs.delete(key) }
    },
  }
}
export type Broker = ReturnType<typeof createBroker>

/** The port of the broker in a sandbox. */
const PORT = 3_129

/** Where programs find the broker: at a port in their sandbox that leads to its socket, or at one of this machine. */
export type BrokerAddress = { origin: string; bridged: readonly Bridged[] }

/**
 * Opens the broker for programs: on a socket that no other user of the machine reaches, for sandboxes, and on loopback
 * where no sandbox works.
 */
export const listenForAgents = async (
  { server }: Broker,
  isSandboxed: boolean,
): Promise<BrokerAddress & { close: () => Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-broker-'))
  const socket = join(folder, 'broker.sock')
  if (isSandboxed) server.listen(socket)
  else server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Programs may run as another user; the folder excludes other users of the machine.
  if (isSandboxed) await chmod(socket, 0o666)
  const port = isSandboxed ? PORT : (server.address() as AddressInfo).port
  return {
    origin: `http://127.0.0.1:${port}`,
    bridged: isSandboxed ? [{ port: PORT, socket }] : [],
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
