import { errorMessage } from '../../core/errors.ts'
import type { Masker } from '../../core/masker.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { ModelInfo } from '../../ports/model.ts'
import { getWithin, readText } from './exchange.ts'
import { excerpt, hiding } from './failures.ts'
import type { Provider } from './resolve.ts'
import { failedAnswer } from './wire-failure.ts'
import { type Fields, fieldsIn, isFields } from './wire-fields.ts'

const CACHED_MS = 600_000
const FAILED_CACHED_MS = 30_000
const MOST_BYTES = 8_388_608
const MOST_MODELS = 2_000
const LONGEST_NAME = 200

type Listed = ModelInfo & { contextTokens?: number }
type Needs = { clock: Clock; fetch: typeof fetch; masker: Masker; log?: Log }
type CachedListing = { until: number; models: Promise<readonly Listed[]> }

/** The providers' lists of models. An answer is cached for ten minutes; concurrent callers share one request. */
export const createListing = (needs: Needs) => {
  const { clock, log, masker } = needs
  const cache = new Map<string, CachedListing>()
  /** By kind and model; a listed model stays known. */
  const windows = new Map<string, ReadonlyMap<string, number | undefined>>()

  const ask = async (provider: Provider, entry: CachedListing): Promise<readonly Listed[]> => {
    const { kind, model } = provider
    const { modelsPath } = provider.entry
    const configured = [{ id: model, provider: kind, name: model }]
    if (!modelsPath) return configured
    try {
      const answer = await getWithin(needs, provider, modelsPath, readAnswer)
      const models = masker.data(modelsIn(answer, kind))
      windows.set(kind, new Map(models.map(({ id, contextTokens }) => [id, contextTokens])))
      return models.length === 0 ? configured : models
    } catch (thrown) {
      entry.until = clock.monotonic() + FAILED_CACHED_MS
      const reason = excerpt(errorMessage(thrown), hiding(provider, masker))
      log?.warn({ provider: kind, reason }, 'models of a provider could not be listed')
      return configured
    }
  }

  return {
    /** The listed models of a provider; its configured model when it lists none or does not answer. */
    models: async (provider: Provider): Promise<readonly ModelInfo[]> => {
      const now = clock.monotonic()
      let entry = cache.get(provider.kind)
      if (!entry || now >= entry.until) {
        entry = { until: now + CACHED_MS, models: Promise.resolve([]) }
        entry.models = ask(provider, entry)
        cache.set(provider.kind, entry)
      }
      return (await entry.models).map(({ id, provider, name }) => ({ id, provider, name }))
    },
    /** The context window of a model, if its provider has listed it. */
    contextTokens: (kind: string, model: string): number | undefined => windows.get(kind)?.get(model),
  }
}

const readAnswer = async (answer: Response): Promise<unknown> => {
  if (answer.status >= 400) throw new Error(`HTTP ${answer.status}`)
  if (!answer.ok) throw failedAnswer(answer.status, {}, '')
  return JSON.parse(await readText(answer, MOST_BYTES))
}

/** `{data: […]}` as OpenAI answers, `{models: […]}` as Google and Cohere do, or a list, as Together does. */
const modelsIn = (answer: unknown, provider: string): Listed[] => {
  const { data, models: named } = fieldsIn(answer)
  const list = Array.isArray(answer) ? answer : (data ?? named)
  if (!Array.isArray(list)) throw new Error('an answer without a list of models')
  const models = list
    .filter(isFields)
    .filter(writesText)
    .flatMap((each) => toListed(each, provider))
  const byId = new Map(models.map((model) => [model.id, model]))
  return [...byId.values()].slice(0, MOST_MODELS)
}

const OTHER_TYPES = /embed|image|video|audio|rerank|moderation|transcri|speech|classif/i

/** Whether a model answers with text, as far as its description says. */
const writesText = ({ type, capabilities, supportedGenerationMethods: methods }: Fields): boolean => {
  if (typeof type === 'string' && OTHER_TYPES.test(type)) return false
  if (fieldsIn(capabilities).completion_chat === false) return false
  return !Array.isArray(methods) || methods.includes('generateContent')
}

const nameIn = (given: unknown): string | undefined =>
  typeof given === 'string' && /^[^\p{C}]+$/u.test(given) && given.length <= LONGEST_NAME ? given : undefined

const WINDOW_FIELDS = [
  'context_length',
  'context_window',
  'max_context_length',
  'inputTokenLimit',
  'max_input_tokens',
  'max_model_len',
]

const toListed = (model: Fields, provider: string): Listed[] => {
  const id = nameIn(model.id ?? model.name)?.replace(/^models\//, '')
  if (!id) return []
  const name = nameIn(model.display_name) ?? nameIn(model.displayName) ?? nameIn(model.name) ?? id
  const window = WINDOW_FIELDS.map((field) => model[field]).find(
    (value): value is number => Number.isSafeInteger(value) && Number(value) > 0,
  )
  return [{ id, provider, name, ...(window === undefined ? {} : { contextTokens: window }) }]
}
