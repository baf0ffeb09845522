import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../api/client.ts'
import { type ApiRoutes, routes } from '../api/routes.ts'
import { type Environment, tokenFor } from './credentials.ts'
import { UsageError } from './exit-codes.ts'

export type Service = { readonly url: string; readonly client: Client<ApiRoutes> }

/** The service did not answer. The message is for the user. */
class Unreachable extends Error {
  readonly code = 'unreachable'
}

const DEFAULT_URL = 'http://127.0.0.1:3000'

/** The URL of the service, from AGENT_TASKS_URL, without a trailing slash. Throws UsageError unless it is an http URL. */
const serviceUrl = (env: Environment): string => {
  const given = env.AGENT_TASKS_URL || DEFAULT_URL
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new UsageError(`AGENT_TASKS_URL is no http or https URL: ${given}`)
  return url.href.replace(/\/+$/, '')
}

const reasonOf = (error: unknown): string => {
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
      const advice = 'Start the service there (npm start), or set AGENT_TASKS_URL to where it is.'
      throw new Unreachable(`Cannot reach ${url} (${reasonOf(error)}). ${advice}`, { cause: error })
    }
  }

/** The client of the service, with the session that `agent-tasks login` stored for its URL, if there is one. */
export const connectTo = (env: Environment): Service => {
  const url = serviceUrl(env)
  const token = tokenFor(env, url)
  return {
    url,
    client: createClient(routes, {
      baseUrl: url,
      fetch: reachingFetch(url),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    }),
  }
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

/** Whether the service did not answer completely: `fetch` throws a TypeError for a body that was cut off. */
export const isCutOff = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof TypeError && error.message === 'terminated')
