import type { LanguageModel } from 'ai'
import type { catalog } from './catalog.ts'
import { chatCompletions, mistralChatCompletions } from './wires/chat-completions.ts'
import { cohereChat } from './wires/cohere-chat.ts'
import { generateContent } from './wires/generate-content.ts'
import { messages } from './wires/messages.ts'
import type { WireReader } from './wires/reader.ts'
import { responses } from './wires/responses.ts'

/** The settings of an SDK package; it reads nothing from the environment. `wire` is its fetch, by the API that it calls. */
type Connection = { apiKey: string; baseUrl: string; wire: (reader: WireReader) => typeof fetch }
export type OpenModel = (model: string) => LanguageModel

type Load = (connection: Connection) => Promise<OpenModel>

const compatible =
  (name: string): Load =>
  async ({ apiKey, baseUrl, wire }) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const key = apiKey === '' ? {} : { apiKey }
    const fetch = wire(chatCompletions)
    return createOpenAICompatible({ name, baseURL: baseUrl, fetch, includeUsage: true, ...key })
  }

const isHostedAt = (baseUrl: string, domain: string): boolean => new URL(baseUrl).hostname.endsWith(domain)

// OpenAI itself is called by its Responses API, which its reasoning models need for tools. Another server behind an
// OpenAI base URL (a proxy, vLLM, LM Studio) may only have chat completions.
const openai: Load = async ({ apiKey, baseUrl, wire }) => {
  const { createOpenAI } = await import('@ai-sdk/openai')
  const open = (reader: WireReader) => createOpenAI({ apiKey, baseURL: baseUrl, fetch: wire(reader) })
  return isHostedAt(baseUrl, 'api.openai.com') ? open(responses).responses : open(chatCompletions).chat
}

const azure: Load = async ({ apiKey, baseUrl, wire }) => {
  const { createAzure } = await import('@ai-sdk/azure')
  const open = (reader: WireReader) => createAzure({ apiKey, baseURL: baseUrl, fetch: wire(reader) })
  return isHostedAt(baseUrl, '.azure.com') ? open(responses).responses : open(chatCompletions).chat
}

const over = ({ apiKey, baseUrl, wire }: Connection, reader: WireReader) => ({
  apiKey,
  baseURL: baseUrl,
  fetch: wire(reader),
})

/** Imports the package of a provider at its first use: functions that only describe providers bundle none of them. */
export const loaders: Readonly<Record<keyof typeof catalog | 'demo', Load>> = {
  anthropic: async (to) => (await import('@ai-sdk/anthropic')).createAnthropic(over(to, messages)),
  openai,
  azure,
  google: async (to) => (await import('@ai-sdk/google')).createGoogle(over(to, generateContent)),
  ollama: compatible('ollama'),
  openrouter: compatible('openrouter'),
  groq: async (to) => (await import('@ai-sdk/groq')).createGroq(over(to, chatCompletions)),
  xai: async (to) => (await import('@ai-sdk/xai')).createXai(over(to, responses)),
  mistral: async (to) => (await import('@ai-sdk/mistral')).createMistral(over(to, mistralChatCompletions)),
  cohere: async (to) => (await import('@ai-sdk/cohere')).createCohere(over(to, cohereChat)),
  perplexity: async (to) => (await import('@ai-sdk/perplexity')).createPerplexity(over(to, chatCompletions)),
  deepseek: async (to) => (await import('@ai-sdk/deepseek')).createDeepSeek(over(to, chatCompletions)),
  together: async (to) => (await import('@ai-sdk/togetherai')).createTogetherAI(over(to, chatCompletions)),
  cerebras: async (to) => (await import('@ai-sdk/cerebras')).createCerebras(over(to, chatCompletions)),
  fireworks: async (to) => (await import('@ai-sdk/fireworks')).createFireworks(over(to, chatCompletions)),
  demo: compatible('demo'),
}
