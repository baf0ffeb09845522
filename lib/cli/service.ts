import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { ApiError } from '../api/api-error.ts'
import { type Client, createClient } from '../api/client.ts'
import { type ApiRoutes, routes } from '../api/routes.ts'
import type { Route } from '../http/route.ts'
import { type Environment, tokenFor } from './credentials.ts'
import { UsageError } from './exit-codes.ts'

export type Service = { readonly url: string; readonly client: Client<ApiRoutes> }

/** The service did not answer. The message is for the user. */
class Unreachable extends Error {
  readonly code = 'unreachable'
}

/** Another server answered than the service. The message is for the user. */
export class WrongServer extends Error {
  readonly code = 'wrong_server'
  constructor(url: string, cause?: unknown) {
    super(`${url} does not respond like this service. Check that AGENT_TASKS_URL is its address`, {
      cause,
    })
  }
}

const DEFAULT_URL = 'http://127.0.0.1:3000'

/** The URL of the service, from AGENT_TASKS_URL, without a trailing slash. Throws UsageError unless it is an http URL. */
export const serviceUrl = (env: Environment): string => {
  const given = env.AGENT_TASKS_URL || DEFAULT_URL
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new UsageError(`AGENT_TASKS_URL must be an http or https URL, not ${given}`)
  return url.href.replace(/\/+$/, '')
}

const networkErrorReason = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return error instanceof Error ? error.message : String(error)
}

/** `fetch` whose network errors name the service. An abort stays an abort. */
const reachingFetch =
  (url: string): typeof fetch =>
  async (input, init) => {
    try {
      return await fetch(input, init)
    } catch (error) {
      if (init?.signal?.aborted) throw error
      const advice = 'Start the service (npm start), or set AGENT_TASKS_URL to its address.'
      throw new Unreachable(`Cannot reach ${url} (${networkErrorReason(error)}). ${advice}`, { cause: error })
    }
  }

/** The client of the service, with the session that `agent-tasks login` stored for its URL, if there is one. */
export const connectTo = (env: Environment): Service => {
  const url = serviceUrl(env)
  const token = tokenFor(env, url)
  const client = createClient(routes, {
    baseUrl: url,
    fetch: reachingFetch(url),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  return { url, client: verifiedClient(client, url) }
}

type AnyCall = ((...given: unknown[]) => Promise<unknown>) & {
  raw(...given: unknown[]): Promise<Response>
}

/** The client, whose calls reject with WrongServer when another server answers than the service. */
const verifiedClient = (client: Client<ApiRoutes>, url: string): Client<ApiRoutes> => {
  const calls = Object.entries(client as unknown as Record<string, AnyCall>).map(([name, call]) => {
    const route: Route = routes[name as keyof ApiRoutes]
    const named = (error: unknown): never => {
      throw isNoAnswerOfService(error) ? new WrongServer(url, error) : error
    }
    const checked = async (...given: unknown[]) => {
      const answer = await call(...given).catch(named)
      if (!hasOutline(route.response, answer)) throw new WrongServer(url)
      return answer
    }
    const raw = async (...given: unknown[]) => {
      const response = await call.raw(...given).catch(named)
      if (!isProducedBy(route, response)) throw new WrongServer(url)
      return response
    }
    return [name, Object.assign(checked, { raw })]
  })
  // Each call has the input and the answer of the one that it wraps.
  return Object.fromEntries(calls) as Client<ApiRoutes>
}

/** A service that has the operation sends a code with these statuses. */
const UNKNOWN_TO_SERVER: ReadonlySet<number> = new Set([404, 405])

/**
 * The client throws SyntaxError for JSON that cannot be parsed, and ApiError for a success without JSON and for an error
 * without a code. Other errors without a code may come from a proxy of the service.
 */
const isNoAnswerOfService = (error: unknown): boolean =>
  error instanceof SyntaxError ||
  (error instanceof ApiError &&
    (error.status < 300 || (UNKNOWN_TO_SERVER.has(error.status) && error.code.startsWith('http_'))))

/** Whether a value has the kinds and required properties of a schema; that of a service of another version passes. */
const hasOutline = (schema: z.core.$ZodType, value: unknown): boolean => {
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => hasOutline(option, value))
  if (!(schema instanceof z.ZodObject)) return isOfKind(schema, value)
  return (
    isOfKind(schema, value) &&
    Object.entries(schema.shape).every(([name, part]) => {
      const own: unknown = Reflect.get(value as object, name)
      return own === undefined ? z.safeParse(part, undefined).success : isOfKind(part, own)
    })
  )
}

/** The kind of a value is checked where code reads on in it; a union, a nullable value and others pass. */
const isOfKind = (schema: z.core.$ZodType, value: unknown): boolean => {
  if (schema instanceof z.ZodArray) return Array.isArray(value)
  if (schema instanceof z.ZodObject)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (schema instanceof z.ZodString) return typeof value === 'string'
  return !(schema instanceof z.ZodNumber) || typeof value === 'number'
}

const toMediaType = (contentType: string) => contentType.split(';', 1)[0]?.trim().toLowerCase()

/** Whether an answer has a content type of its route. A redirect leads to another server. */
const isProducedBy = (
  { status, produces = 'application/json', alsoProduces = produces }: Route,
  { headers }: Response,
): boolean => {
  const type = toMediaType(headers.get('content-type') ?? '')
  return status === 302 || [produces, alsoProduces].some((each) => toMediaType(each) === type)
}

const PAUSE_MS = 1_000
/** Longer than a restart takes. */
const MOST_TRIES = 30

/** Repeats a call while the service is unreachable, for half a minute. Any answer is final, a refusal too. */
export const steadily = async <T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (let tries = 1; ; tries += 1)
    try {
      return await ask()
    } catch (error) {
      if (!isCutOff(error) || signal.aborted || tries === MOST_TRIES) throw error
      await sleep(PAUSE_MS, undefined, { signal })
    }
}

export const isWrongServer = (error: unknown): boolean => error instanceof WrongServer

/** Whether the service did not answer completely: `fetch` throws a TypeError for a body that was cut off. */
export const isCutOff = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof TypeError && error.message === 'terminated')
