import type { Clock } from '../../ports/clock.ts'
import type { Embedding } from '../../ports/embedding.ts'
import { providerError, toProblem } from './failures.ts'
import type { Guard } from './guard.ts'
import { secretsOf } from './health.ts'
import { configuredProviders, type ModelSettings, type Provider } from './resolve.ts'

/** Providers of models for embedding; the others have none. */
const KINDS: ReadonlySet<string> = new Set(['openai', 'ollama', 'openrouter'])
const ANSWERS_WITHIN_MS = 60_000

type Needs = { settings: ModelSettings; model: string; clock: Clock; guard?: Guard; fetch?: typeof fetch }

/**
 * The embedding model that `provider/model` names, spoken to by the wire that all its providers share. Throws Error in
 * one line when its provider has no such models or is not configured.
 */
export const createEmbedding = ({ settings, model: named, clock, guard, ...needs }: Needs): Embedding => {
  const slash = named.indexOf('/')
  const [kind, model] = [named.slice(0, slash), named.slice(slash + 1)]
  if (!KINDS.has(kind))
    throw new Error(`${kind} has no embedding models: name one of ${[...KINDS].join(', ')}`)
  const provider = configuredProviders(settings).get(kind)
  if (!provider) throw new Error(`${kind} is not configured`)
  const { fetch = globalThis.fetch } = needs

  const call = async (texts: readonly string[], signal: AbortSignal) => {
    const [{ embedMany }, { createOpenAICompatible }] = await Promise.all([
      import('ai'),
      import('@ai-sdk/openai-compatible'),
    ])
    const { apiKey, baseUrl } = provider
    const opened = createOpenAICompatible({
      ...{ name: kind, baseURL: baseUrl, ...(apiKey === '' ? {} : { apiKey }) },
      // A redirect could carry the key to another host.
      fetch: (input, init) => fetch(input, { ...init, redirect: 'error' }),
    })
    const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(ANSWERS_WITHIN_MS)])
    const values = [...texts]
    const { embeddings } = await embedMany({ model: opened.embeddingModel(model), values, abortSignal })
    return vectorsOf(embeddings)
  }

  const tried = async (texts: readonly string[], signal: AbortSignal) => {
    const scene = sceneOf(provider, model, clock.now())
    try {
      const vectors = await call(texts, signal)
      if (vectors) return vectors
    } catch (thrown) {
      throw signal.aborted ? signal.reason : toProblem(lastOf(thrown), scene)
    }
    throw providerError(scene, 'nonsense', 'answered other vectors than it was asked for')
  }

  return {
    model: named,
    embed: (texts, signal) => (guard ? guard(kind, () => tried(texts, signal)) : tried(texts, signal)),
  }
}

const sceneOf = (provider: Provider, model: string, now: number) => ({
  ...{ provider: provider.kind, name: provider.entry.name, model },
  ...{ secrets: secretsOf(provider), now },
})

/** What the last of several tries threw. */
const lastOf = (thrown: unknown): unknown => (thrown as { lastError?: unknown }).lastError ?? thrown

/** The library has counted them; that they fit together it does not look at. */
const vectorsOf = (embeddings: readonly (readonly number[])[]): Float32Array[] | undefined => {
  const size = embeddings[0]?.length ?? 0
  const isWhole = (each: readonly number[]) => each.length === size && each.every(Number.isFinite)
  if (size === 0 || !embeddings.every(isWhole)) return undefined
  return embeddings.map((each) => Float32Array.from(each))
}
