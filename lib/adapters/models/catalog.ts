import type { LanguageModel } from 'ai'
import type { Effort } from '../../ports/model.ts'

/** What an SDK package is given; nothing is left for it to look up in the environment. */
export type Connection = { apiKey: string; baseUrl: string; fetch: typeof fetch }
export type OpenModel = (model: string) => LanguageModel

type Options = NonNullable<Parameters<typeof import('ai').streamText>[0]['providerOptions']>

/** One kind of provider, as data. `load` imports its package on first use. */
export type CatalogEntry = {
  name: string
  defaultModel: string
  defaultBaseUrl: string
  /** False: naming a base URL or a model is enough to count as configured. */
  keyRequired: boolean
  load: (connection: Connection) => Promise<OpenModel>
  /** A GET that costs no tokens and, where the provider has one, checks the key. */
  healthPath: string
  headers: (apiKey: string) => Record<string, string>
  /** The provider's own model names contain slashes. */
  namespaced?: true
  /** How much the model may think; absent where asking is refused by models that cannot. */
  effort?: Readonly<Record<Effort, 'low' | 'medium' | 'high' | 'xhigh' | 'max'>>
  options?: Options
}

const bearer = (apiKey: string): Record<string, string> =>
  apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }

const compatible =
  (name: string): CatalogEntry['load'] =>
  async ({ apiKey, baseUrl, fetch }) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const key = apiKey === '' ? {} : { apiKey }
    return createOpenAICompatible({ name, baseURL: baseUrl, fetch, includeUsage: true, ...key })
  }

const OPENAI = 'https://api.openai.com/v1'

// The vendor itself is spoken to by its Responses API, which its reasoning models need for tools; whatever else sits
// behind an OpenAI base URL (a proxy, vLLM, LM Studio) is only sure to speak chat completions.
const openai: CatalogEntry['load'] = async ({ apiKey, baseUrl, fetch }) => {
  const { createOpenAI } = await import('@ai-sdk/openai')
  const provider = createOpenAI({ apiKey, baseURL: baseUrl, fetch })
  return baseUrl === OPENAI ? provider.responses : provider.chat
}

const graded = { low: 'low', medium: 'medium', high: 'high' } as const

/** The provider kinds; the first configured one is the default. */
export const catalog = {
  anthropic: {
    name: 'Anthropic',
    defaultModel: 'claude-sonnet-5',
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    keyRequired: true,
    load: async ({ apiKey, baseUrl, fetch }) =>
      (await import('@ai-sdk/anthropic')).createAnthropic({ apiKey, baseURL: baseUrl, fetch }),
    healthPath: '/models?limit=1',
    headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    effort: { ...graded, max: 'max' },
  },
  openai: {
    name: 'OpenAI',
    defaultModel: 'gpt-5.4',
    defaultBaseUrl: OPENAI,
    keyRequired: true,
    load: openai,
    healthPath: '/models',
    headers: bearer,
    effort: { ...graded, max: 'xhigh' },
    // Nothing is kept at the vendor: reasoning travels with the history, encrypted, so an old conversation can go on.
    options: { openai: { store: false } },
  },
  ollama: {
    name: 'Ollama',
    defaultModel: 'qwen3',
    defaultBaseUrl: 'http://127.0.0.1:11434/v1',
    keyRequired: false,
    load: compatible('ollama'),
    healthPath: '/models',
    headers: bearer,
    namespaced: true,
  },
  openrouter: {
    name: 'OpenRouter',
    defaultModel: 'openrouter/auto',
    defaultBaseUrl: 'https://openrouter.ai/api/v1',
    keyRequired: true,
    load: compatible('openrouter'),
    healthPath: '/key',
    headers: bearer,
    namespaced: true,
    effort: { ...graded, max: 'high' },
  },
} as const satisfies Readonly<Record<string, CatalogEntry>>

/** The scripted demo model: no provider kind, and never among configured ones. */
export const demoEntry: CatalogEntry = {
  name: 'Demo model (scripted, not an AI)',
  defaultModel: 'demo',
  defaultBaseUrl: 'http://127.0.0.1',
  keyRequired: false,
  load: compatible('demo'),
  healthPath: '/models',
  headers: bearer,
}

export type ProviderKind = keyof typeof catalog
export const providerKinds = Object.keys(catalog) as readonly ProviderKind[]
