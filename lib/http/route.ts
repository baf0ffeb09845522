import type * as z from 'zod'
import type { Principal } from '../core/principal.ts'
import type { Origin } from './trusted-proxies.ts'

export const SCOPES = ['gateway', 'webhooks', 'runner'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * Who may call a route. `any`: all callers, with any credential. `public`: all callers, except with an invalid Bearer
 * token. `optional`: as `public`, and sessions are identified, as in `any`. `session`: users. `admin`: admins. A scope:
 * API tokens with it, and users if `isForSessions` says so. There is no default: a route without an access does not
 * compile.
 */
export type Access = 'any' | 'public' | 'optional' | 'session' | 'admin' | Scope

/** Scopes whose routes are also open to sessions. */
const OPEN_TO_SESSIONS: readonly Scope[] = ['webhooks']
export const isForSessions = (access: Access): boolean =>
  access === 'session' || OPEN_TO_SESSIONS.some((scope) => scope === access)

export const isScope = (access: Access): access is Scope => SCOPES.some((scope) => scope === access)

/** A route as data: handlers, access checks, validation, OpenAPI and the typed client all read it. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters are `{name}`, as in API Gateway. */
  path: string
  summary: string
  /** What a caller should know beyond the summary and the fields; in Markdown. */
  about?: string
  access: Access
  /** Whether a GET changes something: then HEAD is answered 405. */
  writes?: true
  params?: z.ZodObject
  /** Whether its one parameter may contain slashes, which callers encode. */
  wildcard?: true
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: z.ZodType
  /** Documents a body whose bytes the handler reads itself, once it has identified the caller. */
  rawBody?: z.ZodType
  response: z.ZodType
  status?: 200 | 201 | 202 | 302
  bodyLimit?: number
  alsoStatus?: 200 | 204 | 401 | 503
  limited?: true
  /** The level of the log line, `info` when absent; for requests that machines repeat all the time. */
  logLevel?: 'debug'
  /** Whether a parameter of the path grants access: log lines then have the route's path in place of the request's. */
  secretPath?: true
  produces?: string
  /** Content type of a text form of the answer, for callers whose `Accept` prefers it. */
  alsoProduces?: string
}

export type Routes = Readonly<Record<string, Route>>

export const defineRoutes = <const R extends Routes>(routes: R): R => routes

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined

export type Input<R extends Route> = {
  params: Parsed<R['params']>
  query: Parsed<R['query']>
  headers: Parsed<R['headers']>
  body: Parsed<R['body']>
}

/** The caller of a request, its request id, headers (names in lower case) and cookies, and its origin. */
export type Call = {
  principal: Principal
  requestId: string
  header(name: string): string | undefined
  /** Browsers may have several of one name; the closest first. */
  cookies(name: string): readonly string[]
  /** The bytes of a `rawBody` as they arrive. Throws Problem `too_large` for more than the route accepts. */
  pieces(): AsyncIterable<Buffer>
  origin(): Origin
  /**
   * Aborts when the caller disconnects before the answer, if the host notices; and with Problem `unauthenticated`
   * `rights_ended` when its rights end, which are read every two seconds.
   */
  gone(): AbortSignal
}

/** An answer with another status, further headers, or a text body, whole or in pieces. */
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

export type RawBody = { raw: string | AsyncIterable<string> }

type Answer<R extends Route> = z.input<R['response']> | Reply<z.input<R['response']> | RawBody>

type Handle<R extends Route> = (input: Input<R>, call: Call) => Promise<Answer<R>> | Answer<R>
type Admit = (call: Call) => Promise<void>

export type Handler<R extends Route> = Handle<R> & { readonly admit?: Admit }

/** A handler with a check before the body is read: a limit then also counts malformed bodies. */
export const admitting = <R extends Route>(admit: Admit, handle: Handle<R>): Handler<R> =>
  Object.assign(handle, { admit })

/** One handler per route, under the route's name. */
export type Handlers<R extends Routes> = { readonly [Name in keyof R]: Handler<R[Name]> }
