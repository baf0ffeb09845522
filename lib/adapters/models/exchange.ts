import { readBounded } from '../../core/bounded-body.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Masker } from '../../core/masker.ts'
import type { Clock } from '../../ports/clock.ts'
import type { KeyCheck } from '../../ports/model.ts'
import { sceneFor, toProblem } from './failures.ts'
import type { Provider } from './resolve.ts'
import { failedAnswer, lostConnection, tooLarge, WireFailure } from './wire-failure.ts'

const LONGEST_REFUSAL = 65_536
const TIMEOUT_MS = 5_000

/** Sends one request. A redirect is not followed: it could carry the key to another host. */
export const sendRequest = async (
  send: typeof fetch,
  ...[input, init]: Parameters<typeof fetch>
): Promise<Response> => {
  try {
    return await send(input, { ...init, redirect: 'manual' })
  } catch (thrown) {
    throw lostConnection(thrown)
  }
}

/** The failure that an answer with an error status reports. */
export const readRefusal = async ({ status, headers, body }: Response): Promise<WireFailure> => {
  const { bytes } = await readBounded(body, LONGEST_REFUSAL).catch(() => ({ bytes: '' }))
  return failedAnswer(status, Object.fromEntries(headers), bytes.toString())
}

/** The text of an answer, within a limit of bytes. */
export const readText = async ({ body }: Response, mostBytes: number): Promise<string> => {
  const { bytes, truncated } = await readBounded(body, mostBytes).catch((thrown) => {
    throw lostConnection(thrown)
  })
  if (truncated) throw tooLarge(`sent more than ${mostBytes} bytes`)
  return bytes.toString('utf8')
}

type Needs = { clock: Clock; fetch: typeof fetch }

/** Gets from the API of a provider, and reads the answer, within five seconds. Throws WireFailures and errors of `read`. */
export const getWithin = async <T>(
  { clock, fetch }: Needs,
  { entry, apiKey, baseUrl }: Provider,
  path: string,
  read: (answer: Response) => Promise<T>,
): Promise<T> => {
  const line = new AbortController()
  const cancel = clock.after(TIMEOUT_MS, () => line.abort())
  try {
    const headers = { accept: 'application/json', ...entry.headers(apiKey) }
    return await read(await sendRequest(fetch, baseUrl + path, { headers, signal: line.signal }))
  } catch (thrown) {
    if (!line.signal.aborted) throw thrown
    throw new WireFailure(`did not respond within ${TIMEOUT_MS / 1000} s`, { reason: 'transport' })
  } finally {
    cancel()
    line.abort()
  }
}

/** Asks the provider for its models (or its key's state), and reads why it refuses. */
export const checkKey = async (needs: Needs & { masker: Masker }, provider: Provider): Promise<KeyCheck> => {
  const { clock, masker } = needs
  const { name, healthPath } = provider.entry
  const startedAt = clock.monotonic()
  try {
    await getWithin(needs, provider, healthPath, async (answer) => {
      if (!answer.ok) throw await readRefusal(answer)
    })
    const latencyMs = Math.round(clock.monotonic() - startedAt)
    return { accepted: true, message: `${name} accepts the key`, latencyMs }
  } catch (thrown) {
    const { message } = toProblem(thrown, sceneFor(provider, provider.model, clock.now(), masker))
    return { accepted: false, message }
  }
}

type Health = { healthy: boolean; latencyMs?: number; message?: string }

const statusFault = (status: number): string | undefined => {
  if (status < 300) return undefined
  if (status < 400) return `responded with a redirect (HTTP ${status})`
  return status === 401 || status === 403
    ? `rejected the API key (HTTP ${status})`
    : `responded with HTTP ${status}`
}

/** Gateways often serve the calls of a model alone. */
const hasNoCheck = (status: number): boolean => status === 404 || status === 405

/** Asks the provider for its models (or its key's state): no tokens are spent, and after 5 s it counts as unhealthy. */
export const checkHealth = async (needs: Needs, provider: Provider): Promise<Health> => {
  const { name, healthPath } = provider.entry
  const startedAt = needs.clock.monotonic()
  try {
    const status = await getWithin(needs, provider, healthPath, async (answer) => answer.status)
    const latencyMs = Math.round(needs.clock.monotonic() - startedAt)
    if (hasNoCheck(status)) {
      const message = `${name} could not be checked: its address has no list of models (HTTP ${status})`
      return { healthy: true, message, latencyMs }
    }
    const fault = statusFault(status)
    return fault ? { healthy: false, message: `${name} ${fault}`, latencyMs } : { healthy: true, latencyMs }
  } catch (thrown) {
    return { healthy: false, message: `${name} ${errorMessage(thrown)}` }
  }
}
