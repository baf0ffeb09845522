import type * as z from 'zod'
import type { Principal } from '../core/principal.ts'
import type { Origin } from './trusted-proxies.ts'

/** What an API token may be made for. */
export const SCOPES = ['gateway', 'webhooks'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * Who may call a route. `any`: all callers, with any credential. `public`: all callers, but for an invalid Bearer token.
 * `optional`: as `public`, and a session is recognised, as with `any`. `session`: users. `admin`: admins. A scope: API tokens
 * of it, and users where `isForSessions` says so. There is no default: a route without an access does not compile.
 */
export type Access = 'any' | 'public' | 'optional' | 'session' | 'admin' | Scope

/** Scopes whose routes open for who is signed in as well. */
const OPEN_TO_SESSIONS: readonly Scope[] = ['webhooks']
export const isForSessions = (access: Access): boolean =>
  access === 'session' || OPEN_TO_SESSIONS.some((scope) => scope === access)

export const isScope = (access: Access): access is Scope => SCOPES.some((scope) => scope === access)

/** A route as data: handlers, access checks, validation, OpenAPI and the typed client all read it. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{name}` for a parameter, in API Gateway's notation. */
  path: string
  summary: string
  access: Access
  /** Whether a GET changes something: a HEAD must not, and is answered 405. */
  writes?: true
  params?: z.ZodObject
  /** Whether its one parameter may hold slashes, which callers encode. */
  wildcard?: true
  query?: z.ZodObject
  /** Headers that mean something to the route, names in lower case. */
  headers?: z.ZodObject
  body?: z.ZodType
  /**
   * In place of `body`: what the body is, for the description only. The handler asks for its bytes itself, once it knows
   * who sends them.
   */
  rawBody?: z.ZodType
  response: z.ZodType
  /** Status of the ordinary answer, 200 when absent. */
  status?: 200 | 201 | 202 | 302
  /** Most bytes of the body, 1 MiB when absent. */
  bodyLimit?: number
  /** Another status that comes with the same body. */
  alsoStatus?: 200 | 401 | 503
  /** Whether calls may be refused for being too many: 429. */
  limited?: true
  /** The level of the log line of a request that was answered, `info` when absent; for what machines ask for all the time. */
  logLevel?: 'debug'
  /** Whether a parameter of the path grants access by itself: log lines have the route's path in place of the request's. */
  secretPath?: true
  /** Content type of the ordinary answer when it is not JSON. */
  produces?: string
  /** Content type of a text form of the answer, for callers whose `Accept` prefers it. */
  alsoProduces?: string
}

export type Routes = Readonly<Record<string, Route>>

/** Keeps the literal types of a route table. */
export const defineRoutes = <const R extends Routes>(routes: R): R => routes

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined

/** What a handler is given, already validated. */
export type Input<R extends Route> = {
  params: Parsed<R['params']>
  query: Parsed<R['query']>
  headers: Parsed<R['headers']>
  body: Parsed<R['body']>
}

/** Who calls, under which request id, with which headers (names in lower case) and cookies, and from where. */
export type Call = {
  principal: Principal
  requestId: string
  header(name: string): string | undefined
  /** Browsers may have several of a name; the closest first. */
  cookies(name: string): readonly string[]
  /** The bytes of a `rawBody`, as they come. Throws Problem `too_large` for more than the route takes. */
  pieces(): AsyncIterable<Buffer>
  origin(): Origin
  /** Aborts when the caller hangs up before it has its answer, where the host can tell. */
  gone(): AbortSignal | undefined
}

/** An answer with another status, further headers, or a body that is text already or comes in pieces. */
export class Reply<Body> {
  readonly body: Body
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(body: Body, more: { status?: number; headers?: Readonly<Record<string, string>> } = {}) {
    this.body = body
    this.status = more.status
    this.headers = more.headers ?? {}
  }
}

/** A body that goes out as it is instead of through JSON. */
export type RawBody = { raw: string | AsyncIterable<string> }

type Answer<R extends Route> = z.input<R['response']> | Reply<z.input<R['response']> | RawBody>

type Handle<R extends Route> = (input: Input<R>, call: Call) => Promise<Answer<R>> | Answer<R>
type Admit = (call: Call) => Promise<void>

export type Handler<R extends Route> = Handle<R> & { readonly admit?: Admit }

/**
 * A handler whose calls may be refused before anything of their body is read: so a limit also counts those that are too
 * large, no JSON, or do not fit their schema.
 */
export const admitting = <R extends Route>(admit: Admit, handle: Handle<R>): Handler<R> =>
  Object.assign(handle, { admit })

/** One handler per route, under the route's name. */
export type Handlers<R extends Routes> = { readonly [Name in keyof R]: Handler<R[Name]> }
