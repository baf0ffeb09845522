import {
  estimateTokens,
  estimateToolTokens,
  promptTokenLimit,
  reservedOutputTokens,
} from '../../core/context-window.ts'
import { Problem } from '../../core/errors.ts'
import { createMasker, type Masker } from '../../core/masker.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Models, ProviderStatus, StepPart, StepRequest } from '../../ports/model.ts'
import type { Prices } from '../../ports/prices.ts'
import { noProviderLimits, type ProviderLimits } from '../../ports/provider-limits.ts'
import { catalog } from './catalog.ts'
import { checkHealth, checkKey } from './exchange.ts'
import { type Chain, firstAnswer, supports } from './fallback.ts'
import { type Guard, guardedStream } from './guard.ts'
import { createLearnedWindows } from './learned-windows.ts'
import { limitsReported } from './limits-reported.ts'
import { createListing } from './listing.ts'
import { loaders, type OpenModel } from './loaders.ts'
import { maskedStep } from './masked-step.ts'
import {
  configuredProviders,
  defaultProvider,
  fallbackProviders,
  type ModelSettings,
  type Provider,
  type ProviderSettings,
  providerWithKey,
  resolveTarget,
  type Target,
  takesKey,
  unknownProvider,
} from './resolve.ts'
import { retriedStream } from './retry.ts'
import { attemptStep } from './step.ts'
import { createWire } from './wire.ts'
import type { WireReader } from './wires/reader.ts'

const DEFAULT_CONTEXT_TOKENS = 128_000

/** The windows of well-known models in tokens, by the beginnings of their names: the smallest of each family. */
const WINDOWS: Readonly<Record<string, number>> = {
  'claude-': 200_000,
  'gpt-5': 400_000,
  'gpt-5-chat': 128_000,
  'gpt-4.1': 1_047_576,
  'gpt-oss': 131_072,
  o3: 200_000,
  'o4-mini': 200_000,
  'gemini-': 1_048_576,
  'grok-4': 256_000,
  'command-a': 256_000,
  'llama-3.3': 131_072,
  'sonar-pro': 200_000,
}

const LONGEST_FIRST = Object.entries(WINDOWS).sort(([a], [b]) => b.length - a.length)

/** The window of a well-known model in tokens, with or without a vendor before its name. */
const knownContextTokens = (model: string): number | undefined => {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return LONGEST_FIRST.find(([beginning]) => name.startsWith(beginning))?.[1]
}

export type ModelNeeds = {
  settings: ModelSettings
  clock: Clock
  log?: Log
  fetch?: typeof fetch
  /** Masks the secrets of the service in all that a provider sends. */
  masker?: Masker
  /** Without them the cost of every call is unknown. */
  prices?: Prices
  /** The circuit breaker of a provider; a step with its retries is one call. */
  guard?: Guard
  /** Learns which providers have reached a usage limit. */
  limits?: ProviderLimits
}

const DEFAULTS = { retries: 2, silenceMs: 300_000 }

// Packages are loaded and clients made at their first use, once per provider; a failed load is tried again.
const opener = (fetcher: typeof fetch) => {
  const wire = (reader: WireReader) => createWire(fetcher, reader)
  const opened = new Map<string, Promise<OpenModel>>()
  return ({ kind, apiKey, baseUrl }: Provider): Promise<OpenModel> => {
    const known = opened.get(kind)
    if (known) return known
    // A provider is one of the catalog, or the demo model.
    const loading = loaders[kind as keyof typeof loaders]({ apiKey, baseUrl, wire })
    opened.set(kind, loading)
    loading.catch(() => opened.delete(kind))
    return loading
  }
}

const toStatus = (
  kind: string,
  name: string,
  found: Provider | undefined,
  given?: ProviderSettings,
): ProviderStatus => ({
  type: kind,
  name,
  configured: found !== undefined,
  takesKey: takesKey(kind, given),
  ...(given?.apiKey ? { keyFrom: given.isKeyStored ? 'stored' : 'environment' } : {}),
  ...(found ? { model: found.model } : {}),
  ...(found?.demo ? { demo: true } : {}),
})

const statuses = (
  configured: ReadonlyMap<string, Provider>,
  { providers }: ModelSettings,
): ProviderStatus[] => {
  const kinds = Object.entries(catalog).map(([kind, { name }]) =>
    toStatus(kind, name, configured.get(kind), providers[kind]),
  )
  const demo = configured.get('demo')
  return demo ? [...kinds, toStatus('demo', demo.entry.name, demo)] : kinds
}

/** Language models over the AI SDK. Throws when `settings` names an unusable default or fallback. */
export const createModels = (needs: ModelNeeds): Models => {
  const { clock, log, guard, prices, limits = noProviderLimits } = needs
  const settings = { ...DEFAULTS, ...needs.settings }
  const { fetch = globalThis.fetch, masker = createMasker([]) } = needs
  const configured = configuredProviders(settings)
  const usual = defaultProvider(settings, configured)
  const fallbacks = fallbackProviders(settings, configured)
  const listing = createListing({ clock, fetch, masker, ...(log ? { log } : {}) })
  const once = { ...settings, clock, masker, prices, open: opener(fetch) }

  const learned = createLearnedWindows({ clock })

  const statedTokens = ({ provider: kind, model }: Target): number =>
    configured.get(kind)?.contextTokens ??
    listing.contextTokens(kind, model) ??
    knownContextTokens(model) ??
    DEFAULT_CONTEXT_TOKENS

  const contextTokens = (target: Target): number => learned.within(target, statedTokens(target))

  const ask = (target: Target, request: StepRequest): AsyncGenerator<StepPart> => {
    const { provider: kind, model } = target
    const window = contextTokens(target)
    const provider = configured.get(kind) as Provider
    const onRetry = (tried: number, delayMs: number) =>
      log?.warn({ provider: kind, model, tried, delayMs }, 'model step is tried again')
    const policy = { clock, retries: settings.retries, signal: request.signal, onRetry }
    const needs = { ...once, maxOutputTokens: reservedOutputTokens(window) }
    const step = () => retriedStream(policy, () => attemptStep(needs, provider, model, request))
    const answer = limitsReported(limits, kind, guardedStream(guard, kind, step))
    return learned.learning(target, request, window, answer)
  }

  async function* step(request: StepRequest): AsyncGenerator<StepPart> {
    const first = resolveTarget(request, configured, usual)
    const { entry } = configured.get(first.provider) as Provider
    if (!supports({ entry }, request))
      throw new Problem(
        'invalid',
        'tools_unsupported',
        `${entry.name} does not support tools. Choose another provider`,
      )
    const rest = fallbacks
      .filter((each) => each.kind !== first.provider && supports(each, request))
      .map(({ kind, model }): Target => ({ provider: kind, model }))
    const { signal, messages, tools = [] } = request
    const fits = (target: Target): boolean =>
      estimateTokens(messages) + estimateToolTokens(tools) <= promptTokenLimit(contextTokens(target))
    const chain = { targets: [first, ...rest], signal, fits, log } satisfies Partial<Chain>
    yield* maskedStep(masker, firstAnswer({ ...chain, ask: (target) => ask(target, request) }))
  }

  return {
    providers: () => statuses(configured, settings),
    resolve: (request) => resolveTarget(request, configured, usual),
    step,
    models: async (kind) => {
      if (kind !== undefined && !configured.has(kind)) throw unknownProvider(kind, configured)
      const providers = [...configured.values()].filter((one) => kind === undefined || one.kind === kind)
      return (await Promise.all(providers.map(listing.models))).flat()
    },
    contextTokens,
    health: async (kind) => {
      const provider = configured.get(kind)
      if (provider) return checkHealth({ clock, fetch }, provider)
      return { healthy: false, message: `Provider "${kind}" is not configured` }
    },
    checkKey: (kind, apiKey) => checkKey({ clock, fetch, masker }, providerWithKey(settings, kind, apiKey)),
  }
}
