import { existing, Problem } from '../../core/errors.ts'
import type { AskedModel } from '../../ports/model.ts'
import { type CatalogEntry, catalog, demoEntry, type Requirement } from './catalog.ts'

/**
 * The settings of one provider: `<KIND>_API_KEY`, `<KIND>_BASE_URL`, `<KIND>_MODEL`, `<KIND>_CONTEXT_TOKENS`. `isKeyStored`
 * tells that an admin stored the key.
 */
export type ProviderSettings = {
  apiKey?: string
  isKeyStored?: true
  baseUrl?: string
  model?: string
  contextTokens?: number
}

/**
 * The configuration of models. `providers` is keyed by provider kind; `default` is `DEFAULT_PROVIDER`, `fallbacks` are
 * `FALLBACK_PROVIDERS`: all must be configured. `demo` is the address of the demo model, which is used only when no
 * provider is configured.
 */
export type ModelSettings = {
  providers: Readonly<Record<string, ProviderSettings>>
  default?: string
  fallbacks?: readonly string[]
  demo?: { baseUrl: string }
  /** The retries of a step before its first part. Default 2. */
  retries?: number
  /** How long a provider may send nothing. Default 300000, as reasoning can be silent for minutes. */
  silenceMs?: number
}

export type Provider = {
  kind: string
  entry: CatalogEntry
  apiKey: string
  baseUrl: string
  model: string
  contextTokens?: number
  demo: boolean
}
export type Target = { provider: string; model: string }

const entries: Readonly<Record<string, CatalogEntry>> = catalog

// `http://localhost:11434` and `https://api.example.com` mean the API below them, as people write both forms.
const apiBase = (given: string | undefined, usual: string): string => {
  if (!given) return usual
  const bare = new URL(given).pathname === '/'
  return given.replace(/\/+$/, '') + (bare ? new URL(usual).pathname.replace(/\/$/, '') : '')
}

const meets: Readonly<Record<Requirement, (given: ProviderSettings) => boolean>> = {
  'a key': ({ apiKey }) => Boolean(apiKey),
  'a key and a base URL': ({ apiKey, baseUrl }) => Boolean(apiKey && baseUrl),
  'a base URL or a model': ({ apiKey, baseUrl, model }) => Boolean(apiKey || baseUrl || model),
}

/** The settings, with the stored keys of providers whose key is not in the environment. */
export const withStoredKeys = (
  providers: ModelSettings['providers'],
  stored: Readonly<Record<string, string>>,
): Record<string, ProviderSettings> => {
  const added = Object.entries(stored).flatMap(([kind, apiKey]) => {
    const given = providers[kind] ?? {}
    return takesKey(kind, given) && !given.apiKey ? [[kind, { ...given, apiKey, isKeyStored: true }]] : []
  })
  return { ...providers, ...Object.fromEntries(added) }
}

/** Whether a key alone configures a provider: one that needs a base URL has it. */
export const takesKey = (kind: string, given: ProviderSettings = {}): boolean => {
  const entry = Object.hasOwn(entries, kind) ? entries[kind] : undefined
  if (entry === undefined || entry.requires === 'a base URL or a model') return false
  return meets[entry.requires]({ ...given, apiKey: 'any' })
}

/** A provider of the catalog with its settings, as it would be with another key. */
export const providerWithKey = (settings: ModelSettings, kind: string, apiKey?: string): Provider =>
  provider(kind, existing(entries[kind], 'Provider'), {
    ...settings.providers[kind],
    ...(apiKey === undefined ? {} : { apiKey }),
  })

const provider = (kind: string, entry: CatalogEntry, given: ProviderSettings): Provider => ({
  kind,
  entry,
  apiKey: given.apiKey ?? '',
  baseUrl: apiBase(given.baseUrl, entry.defaultBaseUrl),
  model: given.model || entry.defaultModel,
  ...(given.contextTokens === undefined ? {} : { contextTokens: given.contextTokens }),
  demo: entry === demoEntry,
})

/**
 * The usable providers by kind, in the catalog's order, those of the environment before those whose keys are stored; the
 * demo model when there is no other.
 */
export const configuredProviders = (settings: ModelSettings): ReadonlyMap<string, Provider> => {
  const usable = Object.entries(entries)
    .map(([kind, entry]) => provider(kind, entry, settings.providers[kind] ?? {}))
    .filter(({ kind, entry }) => meets[entry.requires](settings.providers[kind] ?? {}))
    .toSorted((a, b) => Number(isKeyStored(settings, a)) - Number(isKeyStored(settings, b)))
  if (usable.length === 0 && settings.demo) usable.push(provider('demo', demoEntry, settings.demo))
  return new Map(usable.map((each) => [each.kind, each]))
}

const isKeyStored = ({ providers }: ModelSettings, { kind }: Provider): boolean =>
  providers[kind]?.isKeyStored === true

/** The default provider. One that is not configured is refused at the start of the service. */
export const defaultProvider = (settings: ModelSettings, configured: ReadonlyMap<string, Provider>) => {
  const [first] = configured.keys()
  const named = settings.default
  if (!named || configured.has(named)) return named || first
  if ((first === undefined || first === 'demo') && Object.hasOwn(entries, named)) return first
  throw new Error(`DEFAULT_PROVIDER names "${named}", which is not configured (${list(configured)})`)
}

/** The fallback providers in order. One that is not configured is refused at the start of the service. */
export const fallbackProviders = (settings: ModelSettings, configured: ReadonlyMap<string, Provider>) =>
  (settings.fallbacks ?? []).map((kind) => {
    const provider = configured.get(kind)
    if (provider && !provider.demo) return provider
    throw new Error(`FALLBACK_PROVIDERS names "${kind}", which is not configured (${list(configured)})`)
  })

const list = (configured: ReadonlyMap<string, Provider>): string =>
  configured.size === 0 ? 'no provider is' : `configured: ${[...configured.keys()].join(', ')}`

const unknown = (what: string, configured: ReadonlyMap<string, Provider>): Problem =>
  new Problem('invalid', 'model_unknown', `${what} is not configured (${list(configured)})`)

export const unknownProvider = (kind: string, configured: ReadonlyMap<string, Provider>): Problem =>
  unknown(`Provider "${kind}"`, configured)

/**
 * Resolves the provider and model of a request. `provider/model` names both when its first segment is a configured kind
 * and `provider` is absent or the same; otherwise the whole text is a model of the provider, as OpenRouter writes them.
 */
export const resolveTarget = (
  { provider: asked, model = '' }: AskedModel,
  configured: ReadonlyMap<string, Provider>,
  fallback: string | undefined,
): Target => {
  const slash = model.indexOf('/')
  const prefix = slash > 0 ? model.slice(0, slash) : ''
  const named = configured.has(prefix) && (!asked || asked === prefix) ? prefix : ''
  const kind = named || asked || fallback
  if (!kind) throw new Problem('unavailable', 'no_provider', NO_PROVIDER)
  const found = configured.get(kind)
  if (!found) throw unknownProvider(kind, configured)
  if (!named && Object.hasOwn(entries, prefix) && !found.entry.namespaced)
    throw unknown(`Provider "${prefix}"`, configured)
  return { provider: kind, model: (named ? model.slice(slash + 1) : model) || found.model }
}

const NO_PROVIDER = 'No model provider is configured. An admin can add a key under Settings, Models'
