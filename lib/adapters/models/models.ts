import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Models, ProviderStatus, StepPart, StepRequest } from '../../ports/model.ts'
import { attempt } from './attempt.ts'
import { catalog, type OpenModel } from './catalog.ts'
import { type Guard, guarded } from './guard.ts'
import { checkHealth } from './health.ts'
import {
  configuredProviders,
  defaultProvider,
  type Provider,
  resolveTarget,
  unknownProvider,
} from './resolve.ts'
import { retried } from './retry.ts'
import type { ModelSettings } from './settings.ts'

export type ModelNeeds = {
  settings: ModelSettings
  clock: Clock
  log?: Log
  fetch?: typeof fetch
  /** The circuit breaker of a provider; a step is one call of it, its retries included. */
  guard?: Guard
}

const DEFAULTS = { maxOutputTokens: 16_384, retries: 2, silenceMs: 300_000 }

// A redirect could carry `x-api-key` to another host; no provider's API redirects.
const withoutRedirects =
  (inner: typeof fetch): typeof fetch =>
  (input, init) =>
    inner(input, { ...init, redirect: 'error' })

// Packages are loaded and clients made on first use, once per provider; a failed load is tried again.
const opener = (fetcher: typeof fetch) => {
  const opened = new Map<string, Promise<OpenModel>>()
  return ({ kind, entry, apiKey, baseUrl }: Provider): Promise<OpenModel> => {
    const known = opened.get(kind)
    if (known) return known
    const loading = entry.load({ apiKey, baseUrl, fetch: fetcher })
    opened.set(kind, loading)
    loading.catch(() => opened.delete(kind))
    return loading
  }
}

const statusOf = (kind: string, name: string, found: Provider | undefined): ProviderStatus => ({
  type: kind,
  name,
  configured: found !== undefined,
  ...(found ? { model: found.model } : {}),
  ...(found?.demo ? { demo: true } : {}),
})

const statuses = (configured: ReadonlyMap<string, Provider>): ProviderStatus[] => {
  const kinds = Object.entries(catalog).map(([kind, { name }]) => statusOf(kind, name, configured.get(kind)))
  const demo = configured.get('demo')
  return demo ? [...kinds, statusOf('demo', demo.entry.name, demo)] : kinds
}

/** Of models of which nothing is known. */
const CONTEXT_TOKENS = 128_000

/** Language models over the AI SDK. Throws when `settings.default` names a provider that cannot be called. */
export const createModels = (needs: ModelNeeds): Models => {
  const { clock, log, guard } = needs
  const settings = { ...DEFAULTS, ...needs.settings }
  const fetch = withoutRedirects(needs.fetch ?? globalThis.fetch)
  const configured = configuredProviders(settings)
  const fallback = defaultProvider(settings, configured)
  const once = { ...settings, clock, open: opener(fetch) }

  async function* step(request: StepRequest): AsyncGenerator<StepPart> {
    const { provider: kind, model } = resolveTarget(request, configured, fallback)
    const provider = configured.get(kind) as Provider
    const onRetry = (tried: number, delayMs: number) =>
      log?.warn({ provider: kind, model, tried, delayMs }, 'model step is tried again')
    const policy = { clock, retries: settings.retries, signal: request.signal, onRetry }
    const tries = () => retried(policy, () => attempt(once, provider, model, request))
    yield* guarded(guard, kind, tries)
  }

  return {
    providers: () => statuses(configured),
    resolve: (request) => resolveTarget(request, configured, fallback),
    step,
    models: async (kind) => {
      if (kind !== undefined && !configured.has(kind)) throw unknownProvider(kind, configured)
      const asked = [...configured.values()].filter((one) => kind === undefined || one.kind === kind)
      return asked.map(({ kind: provider, model }) => ({ id: model, provider, name: model }))
    },
    contextTokens: () => CONTEXT_TOKENS,
    health: async (kind) => {
      const provider = configured.get(kind)
      if (provider) return checkHealth({ clock, fetch }, provider)
      return { healthy: false, message: `Provider "${kind}" is not configured` }
    },
  }
}
