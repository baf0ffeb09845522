import { readClock } from './server-clock.ts'
import { createSignal } from './signal.ts'

const ASK_AGAIN_MS = 2_000
/** The time limit of a health check. A service that does not answer within it counts as away. */
const ANSWERS_WITHIN_MS = 10_000

/** Whether the service was reached by the last request. */
export const isConnected = createSignal(true)

/** When the connection was lost, by the browser's clock: what is on the page is as old. */
export const lostAt = createSignal(0)

/** What stands between answers with these when it does not reach the service; the service has a 503 as well. */
const OF_GATEWAYS = [502, 503, 504]

/** Whether an answer is the service's own: its errors have a code, its report on itself has components. */
const isOurs = async (response: Response): Promise<boolean> => {
  if (!OF_GATEWAYS.includes(response.status)) return true
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return typeof body === 'object' && body !== null && ('code' in body || 'components' in body)
}

/**
 * `fetch` that takes note of whether there was an answer, errors included; one that was called off says nothing. What a
 * gateway says of one route need not be so of the others, which would say the contrary: that is asked apart.
 */
export const watchedFetch: typeof fetch = async (input, init) => {
  const sentAt = Date.now()
  try {
    const response = await fetch(input, init)
    readClock(response, sentAt)
    if (await isOurs(response)) isConnected.set(true)
    else askSoon()
    return response
  } catch (error) {
    if (!init?.signal?.aborted) lost()
    throw error
  }
}

/** Asks whether the service is back, for as long as it is not. */
export const watchConnection = () => {
  addEventListener('offline', lost)
  addEventListener('online', () => {
    if (!isConnected.get()) void checkConnection()
  })
}

const lost = () => {
  if (isConnected.get()) lostAt.set(Date.now())
  isConnected.set(false)
  askSoon()
}

/** There is one at most, however many have a reason to ask. */
let timer: ReturnType<typeof setTimeout> | undefined
const askSoon = () => {
  timer ??= setTimeout(checkConnection, ASK_AGAIN_MS)
}

/** Asks the service whether it is there, takes note of the answer, and resolves to it. */
export const checkConnection = async (): Promise<boolean> => {
  clearTimeout(timer)
  timer = undefined
  const waiting = new AbortController()
  const late = setTimeout(() => waiting.abort(), ANSWERS_WITHIN_MS)
  const asked = fetch('/api/health', { cache: 'no-store', signal: waiting.signal })
  const isThere = await asked.then(isOurs).catch(() => false)
  clearTimeout(late)
  if (isThere) isConnected.set(true)
  else lost()
  return isThere
}

/** Why nothing can be sent now; undefined while the service is there. */
export const useAway = (): string | undefined =>
  isConnected.use() ? undefined : 'The service is away: this works again as soon as it answers.'
