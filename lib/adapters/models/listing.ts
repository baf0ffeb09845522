import { readBounded } from '../../core/bounded-body.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Masker } from '../../core/masker.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { ModelInfo } from '../../ports/model.ts'
import { excerpt, hiding } from './failures.ts'
import { secretsOf } from './health.ts'
import type { Provider } from './resolve.ts'
import { failedAnswer, lostConnection, tooLarge, WireFailure } from './wire-failure.ts'

const KEPT_MS = 600_000
/** How long a failed listing is cached. */
const FAILED_KEPT_MS = 30_000
const TIMEOUT_MS = 5_000
const MOST_BYTES = 8_388_608
const MOST_MODELS = 2_000
const LONGEST_NAME = 200

type Listed = ModelInfo & { contextTokens?: number }
type Needs = { clock: Clock; fetch: typeof fetch; masker: Masker; log?: Log }
type CachedListing = { until: number; models: Promise<readonly Listed[]> }

/** The providers' lists of models. An answer is cached for ten minutes; concurrent callers share one request. */
export const createListing = (needs: Needs) => {
  const { clock, log, masker } = needs
  const kept = new Map<string, CachedListing>()
  /** By kind and model; a listed model stays known. */
  const windows = new Map<string, ReadonlyMap<string, number>>()

  const ask = async (provider: Provider, entry: CachedListing): Promise<readonly Listed[]> => {
    const { kind, model } = provider
    const configured = [{ id: model, provider: kind, name: model }]
    if (!provider.entry.modelsPath) return configured
    try {
      const models = masker.data(modelsIn(await answerOf(needs, provider), kind))
      windows.set(kind, windowsOf(models))
      return models.length === 0 ? configured : models
    } catch (thrown) {
      entry.until = clock.monotonic() + FAILED_KEPT_MS
      const reason = excerpt(errorMessage(thrown), hiding(secretsOf(provider), masker))
      log?.warn({ provider: kind, reason }, 'models of a provider could not be listed')
      return configured
    }
  }

  return {
    /** The listed models of a provider; its configured model when it lists none or does not answer. */
    of: async (provider: Provider): Promise<readonly ModelInfo[]> => {
      const now = clock.monotonic()
      const known = kept.get(provider.kind)
      if (known && now < known.until) return (await known.models).map(shown)
      const entry: CachedListing = { until: now + KEPT_MS, models: Promise.resolve([]) }
      entry.models = ask(provider, entry)
      kept.set(provider.kind, entry)
      return (await entry.models).map(shown)
    },
    /** The context window of a model, if its provider has listed it. */
    contextTokens: (kind: string, model: string): number | undefined => windows.get(kind)?.get(model),
  }
}

const shown = ({ id, provider, name }: Listed): ModelInfo => ({ id, provider, name })

const windowsOf = (models: readonly Listed[]) =>
  new Map(models.flatMap(({ id, contextTokens }) => (contextTokens ? [[id, contextTokens] as const] : [])))

/** The answer as JSON, within the limits of time and size. */
const answerOf = async ({ clock, fetch }: Needs, { entry, apiKey, baseUrl }: Provider): Promise<unknown> => {
  const line = new AbortController()
  const cancel = clock.after(TIMEOUT_MS, () => line.abort())
  try {
    const headers = { accept: 'application/json', ...entry.headers(apiKey) }
    // A redirect could carry the key to another host.
    const init = { headers, signal: line.signal, redirect: 'manual' as const }
    const answer = await fetch(`${baseUrl}${entry.modelsPath}`, init)
    if (answer.status >= 400) throw new WireFailure(`HTTP ${answer.status}`, {})
    if (!answer.ok) throw failedAnswer(answer.status, {}, '')
    const { bytes, truncated } = await readBounded(answer.body, MOST_BYTES)
    if (truncated) throw tooLarge(`more than ${MOST_BYTES} bytes`)
    return JSON.parse(bytes.toString('utf8'))
  } catch (thrown) {
    if (line.signal.aborted) throw new Error(`no answer within ${TIMEOUT_MS / 1000} s`)
    if (thrown instanceof WireFailure) throw thrown
    throw thrown instanceof SyntaxError ? new Error('an answer that is no JSON') : lostConnection(thrown)
  } finally {
    cancel()
    line.abort()
  }
}

/** A listed model, whose fields differ by provider: each may be absent or of any type. */
type Described = Readonly<Record<string, unknown>>

const isObject = (given: unknown): given is Described => typeof given === 'object' && given !== null

/** `{data: […]}` as OpenAI answers, `{models: […]}` as Google and Cohere do, or a list, as Together does. */
const modelsIn = (answer: unknown, provider: string): Listed[] => {
  const list = Array.isArray(answer) ? answer : isObject(answer) ? (answer.data ?? answer.models) : undefined
  if (!Array.isArray(list)) throw new Error('an answer without a list of models')
  const models = list
    .filter(isObject)
    .filter(writesText)
    .flatMap((each) => listed(each, provider))
  const byId = new Map(models.map((model) => [model.id, model]))
  return [...byId.values()].slice(0, MOST_MODELS)
}

const OTHER_TYPES = /embed|image|video|audio|rerank|moderation|transcri|speech|classif/i

/** Whether a model answers with text, as far as its description says. */
const writesText = ({ type, capabilities, supportedGenerationMethods: methods }: Described): boolean => {
  if (typeof type === 'string' && OTHER_TYPES.test(type)) return false
  if (isObject(capabilities) && capabilities.completion_chat === false) return false
  return !Array.isArray(methods) || methods.includes('generateContent')
}

/** A name that fits one line. */
const nameIn = (given: unknown): string | undefined =>
  typeof given === 'string' && /^[^\p{C}]+$/u.test(given) && given.length <= LONGEST_NAME ? given : undefined

const WINDOW_FIELDS = [
  ...['context_length', 'context_window', 'max_context_length', 'inputTokenLimit'],
  ...['max_input_tokens', 'max_model_len'],
]

const listed = (model: Described, provider: string): Listed[] => {
  const id = nameIn(model.id ?? model.name)?.replace(/^models\//, '')
  if (!id) return []
  const name = nameIn(model.display_name) ?? nameIn(model.displayName) ?? nameIn(model.name) ?? id
  const window = WINDOW_FIELDS.map((field) => model[field]).find(
    (value): value is number => Number.isSafeInteger(value) && Number(value) > 0,
  )
  return [{ id, provider, name, ...(window === undefined ? {} : { contextTokens: window }) }]
}
