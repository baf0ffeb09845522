import { ApiError } from '../../api/api-error.ts'
import { type Client, createClient } from '../../api/client.ts'
import { backoffMs } from '../../core/backoff.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { runnerRoutes } from '../../runners/contract.ts'

export type RunnerClient = Client<typeof runnerRoutes>

/** A request without an answer for this long is given up, and made again. */
const LONGEST_REQUEST_MS = 30_000
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 10_000
/** Of the failures in a row, the first and then each of this number is logged. */
const LOGGED_EVERY = 10

/** The client of a service for its runners. A request ends after 30 s, or when its caller says so, and at the end of the runner. */
export const connectRunner = (
  url: string,
  token: string,
  { onAnswer, ended }: { onAnswer: () => void; ended: AbortSignal },
): RunnerClient =>
  createClient(runnerRoutes, {
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
    fetch: async (input, init) => {
      const own = init?.signal ?? AbortSignal.timeout(LONGEST_REQUEST_MS)
      const response = await fetch(input, { ...init, signal: AbortSignal.any([own, ended]) })
      onAnswer()
      return response
    },
  })

/** Whether an answer says that the request will never be accepted, as it is. */
export const isFinal = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError &&
  thrown.status >= 400 &&
  thrown.status < 500 &&
  thrown.status !== 408 &&
  thrown.status !== 429

/** Whether an answer is the service's own: a proxy, or a load balancer without a service behind it, gives no code. */
export const isOfService = ({ code }: ApiError): boolean => !code.startsWith('http_')

/** Whether an answer comes from what stands before a service that is not there now, such as a load balancer. */
const isOfNoService = (thrown: ApiError): boolean => thrown.status === 404 && !isOfService(thrown)

/** A refusal as a failure that `persist` tries again. */
export const triedAgain = (thrown: ApiError): Error => new Error(thrown.message, { cause: thrown.code })

/** Whether the token of the runner is not valid, or not for this: what it has to say is kept for the next one. */
export const isRefusedToken = (thrown: unknown): boolean =>
  isFinal(thrown) && (thrown.status === 401 || thrown.status === 403)

/** Whether a claim is over: the task was cancelled, or another runner has it. */
export const isLeaseLost = (thrown: unknown): boolean => isFinal(thrown) && thrown.code === 'lease_lost'

type Needs = { clock: Clock; log: Log; random: () => number; ended: AbortSignal }
type Persistence = {
  signal?: AbortSignal
  longestWaitMs?: number
  /** The first request of a runner: an answer of no service tells that its address is wrong. */
  isFirst?: boolean
}

/**
 * Makes a request again, with waits of up to 10 s, until it is answered: for an hour without a network, if need be. Throws
 * what is final, the reason of the signal, and at the end of the runner what that says.
 */
export const createPersist =
  ({ clock, log, random, ended }: Needs) =>
  async <T>(
    what: string,
    request: () => Promise<T>,
    { signal, longestWaitMs = LONGEST_WAIT_MS, isFirst = false }: Persistence = {},
  ): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await request()
      } catch (thrown) {
        signal?.throwIfAborted()
        ended.throwIfAborted()
        if (isFinal(thrown) && (isFirst || !isOfNoService(thrown))) throw thrown
        if (attempt % LOGGED_EVERY === 1)
          log.warn({ attempt, reason: networkReason(thrown) }, `the service did not answer: ${what}`)
        const waitMs = Math.min(retryWaitMs(attempt, thrown, random), longestWaitMs)
        await wait(clock, waitMs, signal)
        signal?.throwIfAborted()
      }
    }
  }

/** The wait after a failed request: as long as the service asks for, or longer each time, up to 10 s. */
const retryWaitMs = (attempt: number, thrown: unknown, random: () => number): number => {
  const asked = thrown instanceof ApiError ? (thrown.retryAfterMs ?? 0) : 0
  const own = { attempt, baseMs: FIRST_WAIT_MS, type: 'exponential', random, maxMs: LONGEST_WAIT_MS } as const
  return Math.min(Math.max(backoffMs(own), asked), LONGEST_WAIT_MS)
}

export type Persist = ReturnType<typeof createPersist>

const wait = (clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(ms, end)
    signal?.addEventListener('abort', end, { once: true })
  })

/** `fetch` names the cause of a network error in `cause` only. */
const networkReason = (thrown: unknown): string => {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  return errorMessage(cause, 200)
}
