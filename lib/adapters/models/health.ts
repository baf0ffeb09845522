import type { Clock } from '../../ports/clock.ts'
import type { Provider } from './resolve.ts'
import { lostConnection } from './wire-failure.ts'

const TIMEOUT_MS = 5_000

type Needs = { clock: Clock; fetch: typeof fetch }
type Health = { healthy: boolean; latencyMs?: number; message?: string }

const verdict = (provider: Provider, status: number): Omit<Health, 'latencyMs'> => {
  if (status < 300) return { healthy: true }
  const { name } = provider.entry
  if (status < 400) return { healthy: false, message: `${name} answered with a redirect (HTTP ${status})` }
  if (status === 401 || status === 403)
    return { healthy: false, message: `${name} refused the API key (HTTP ${status})` }
  return { healthy: false, message: `${name} answered HTTP ${status}` }
}

/** Asks the provider for its models (or its key's state): no tokens are spent, and after 5 s it counts as unhealthy. */
export const checkHealth = async ({ clock, fetch }: Needs, provider: Provider): Promise<Health> => {
  const { entry, apiKey, baseUrl } = provider
  const line = new AbortController()
  const cancel = clock.after(TIMEOUT_MS, () => line.abort())
  const startedAt = clock.monotonic()
  try {
    // A redirect could carry the key to another host.
    const init = { headers: entry.headers(apiKey), signal: line.signal, redirect: 'manual' as const }
    const response = await fetch(`${baseUrl}${entry.healthPath}`, init)
    await response.body?.cancel()
    return { ...verdict(provider, response.status), latencyMs: Math.round(clock.monotonic() - startedAt) }
  } catch (thrown) {
    const why = line.signal.aborted
      ? `gave no answer within ${TIMEOUT_MS / 1000} s`
      : lostConnection(thrown).message
    return { healthy: false, message: `${entry.name} ${why}` }
  } finally {
    cancel()
  }
}

/** The secrets of a provider: the key, and credentials in the base URL. */
export const secretsOf = ({ apiKey, baseUrl }: Provider): string[] => {
  const { username, password } = new URL(baseUrl)
  return [apiKey, username, password].filter((secret) => secret !== '')
}
