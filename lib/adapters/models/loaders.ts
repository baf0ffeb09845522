import type { LanguageModel } from 'ai'
import type { catalog } from './catalog.ts'

/** The settings of an SDK package; it reads nothing from the environment. */
type Connection = { apiKey: string; baseUrl: string; fetch: typeof fetch }
export type OpenModel = (model: string) => LanguageModel

type Load = (connection: Connection) => Promise<OpenModel>

const compatible =
  (name: string): Load =>
  async ({ apiKey, baseUrl, fetch }) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const key = apiKey === '' ? {} : { apiKey }
    return createOpenAICompatible({ name, baseURL: baseUrl, fetch, includeUsage: true, ...key })
  }

const isHostOf = (baseUrl: string, domain: string): boolean => new URL(baseUrl).hostname.endsWith(domain)

// OpenAI itself is called by its Responses API, which its reasoning models need for tools. Another server behind an
// OpenAI base URL (a proxy, vLLM, LM Studio) may only have chat completions.
const openai: Load = async ({ apiKey, baseUrl, fetch }) => {
  const { createOpenAI } = await import('@ai-sdk/openai')
  const provider = createOpenAI({ apiKey, baseURL: baseUrl, fetch })
  return isHostOf(baseUrl, 'api.openai.com') ? provider.responses : provider.chat
}

const azure: Load = async ({ apiKey, baseUrl, fetch }) => {
  const { createAzure } = await import('@ai-sdk/azure')
  const provider = createAzure({ apiKey, baseURL: baseUrl, fetch })
  return isHostOf(baseUrl, '.azure.com') ? provider.responses : provider.chat
}

/**
 * Imports the package of a provider at its first use. It is apart from the catalog, so that functions that only describe
 * providers bundle none of the packages.
 */
export const loaders: Readonly<Record<keyof typeof catalog | 'demo', Load>> = {
  anthropic: async ({ apiKey, baseUrl, fetch }) =>
    (await import('@ai-sdk/anthropic')).createAnthropic({ apiKey, baseURL: baseUrl, fetch }),
  openai,
  azure,
  google: async ({ apiKey, baseUrl, fetch }) =>
    (await import('@ai-sdk/google')).createGoogle({ apiKey, baseURL: baseUrl, fetch }),
  ollama: compatible('ollama'),
  openrouter: compatible('openrouter'),
  groq: async ({ apiKey, baseUrl, fetch }) =>
    (await import('@ai-sdk/groq')).createGroq({ apiKey, baseURL: baseUrl, fetch }),
  xai: async ({ apiKey, baseUrl, fetch }) =>
    (await import('@ai-sdk/xai')).createXai({ apiKey, baseURL: baseUrl, fetch }),
  mistral: async ({ apiKey, baseUrl, fetch }) =>
    (await import('@ai-sdk/mistral')).createMistral({ apiKey, baseURL: baseUrl, fetch }),
  cohere: async ({ apiKey, baseUrl, fetch }) =>
    (await import('@ai-sdk/cohere')).createCohere({ apiKey, baseURL: baseUrl, fetch }),
  perplexity: async ({ apiKey, baseUrl, fetch }) =>
    (await import('@ai-sdk/perplexity')).createPerplexity({ apiKey, baseURL: baseUrl, fetch }),
  deepseek: async ({ apiKey, baseUrl, fetch }) =>
    (await import('@ai-sdk/deepseek')).createDeepSeek({ apiKey, baseURL: baseUrl, fetch }),
  together: async ({ apiKey, baseUrl, fetch }) =>
    (await import('@ai-sdk/togetherai')).createTogetherAI({ apiKey, baseURL: baseUrl, fetch }),
  cerebras: async ({ apiKey, baseUrl, fetch }) =>
    (await import('@ai-sdk/cerebras')).createCerebras({ apiKey, baseURL: baseUrl, fetch }),
  fireworks: async ({ apiKey, baseUrl, fetch }) =>
    (await import('@ai-sdk/fireworks')).createFireworks({ apiKey, baseURL: baseUrl, fetch }),
  demo: compatible('demo'),
}
