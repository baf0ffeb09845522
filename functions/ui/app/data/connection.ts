import { readClock } from './server-clock.ts'
import { createSignal } from './signal.ts'

const ASK_AGAIN_MS = 2_000
/** A service that does not answer a health check in this time counts as unreachable. */
const ANSWERS_WITHIN_MS = 10_000

export const isConnected = createSignal(true)

/** By the browser's clock. The age of the page's data is counted from here. */
export const lostAt = createSignal(0)

/** Statuses by which a proxy reports an unreachable service; the service itself uses 503 as well. */
const OF_GATEWAYS = [502, 503, 504]

/** Errors of the service have `code`, its health report has `components`. */
const isOurs = async (response: Response): Promise<boolean> => {
  if (!OF_GATEWAYS.includes(response.status)) return true
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return typeof body === 'object' && body !== null && ('code' in body || 'components' in body)
}

/**
 * `fetch` that records whether the service answered; errors of the service count, aborted requests do not. A proxy may fail for one route
 * only, so a proxy error triggers a health check.
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

/** A single shared timer. */
let timer: ReturnType<typeof setTimeout> | undefined
const askSoon = () => {
  timer ??= setTimeout(checkConnection, ASK_AGAIN_MS)
}

/** Checks the health endpoint, records the result and resolves to it. */
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

/** Undefined while the service is reachable. */
export const useAway = (): string | undefined =>
  isConnected.use() ? undefined : 'The service is unreachable. This works again as soon as it responds.'
