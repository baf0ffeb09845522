import type { Effort } from '../../ports/model.ts'

type Options = NonNullable<Parameters<typeof import('ai').streamText>[0]['providerOptions']>

/** The settings that make a provider count as configured. */
export type Requirement = 'a key' | 'a key and a base URL' | 'a base URL or a model'

/** One kind of provider, as data; its package is in `loaders.ts`. */
export type CatalogEntry = {
  name: string
  defaultModel: string
  /** For a required base URL, only the path of this one is used: it is appended to a host name. */
  defaultBaseUrl: string
  requires: Requirement
  /** A GET that costs no tokens and, if the provider supports it, checks the key. */
  healthPath: string
  /** A GET that lists the usable models; absent for a provider without one. */
  modelsPath?: string
  headers: (apiKey: string) => Record<string, string>
  /** The provider's own model names contain slashes. */
  namespaced?: true
  /** The provider accepts neither tools nor their results. */
  toolless?: true
  /** The ids of tool calls that the provider accepts; ids of other providers may differ. */
  callIds?: RegExp
  /** The model's effort; absent for providers whose models may refuse it. */
  effort?: Readonly<Record<Effort, 'low' | 'medium' | 'high' | 'xhigh' | 'max'>>
  options?: Options
}

const bearer = (apiKey: string): Record<string, string> =>
  apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }

const graded = { low: 'low', medium: 'medium', high: 'high' } as const

/** What most providers have in common: their APIs follow that of OpenAI. */
const openAiLike = {
  requires: 'a key',
  healthPath: '/models',
  modelsPath: '/models',
  headers: bearer,
} as const

/** The provider kinds; the first configured one is the default. */
export const catalog = {
  anthropic: {
    name: 'Anthropic',
    defaultModel: 'claude-sonnet-5',
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    requires: 'a key',
    healthPath: '/models?limit=1',
    modelsPath: '/models?limit=1000',
    headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    callIds: /^[\w-]+$/,
    effort: { ...graded, max: 'max' },
  },
  openai: {
    ...openAiLike,
    name: 'OpenAI',
    defaultModel: 'gpt-5.4',
    defaultBaseUrl: 'https://api.openai.com/v1',
    effort: { ...graded, max: 'xhigh' },
    // The vendor stores nothing: encrypted reasoning is part of the history, so an old conversation can continue.
    options: { openai: { store: false } },
  },
  // Models are named by their deployments. The API lists deployable models, so nothing is listed.
  azure: {
    name: 'Azure OpenAI',
    defaultModel: 'gpt-5.4',
    defaultBaseUrl: 'https://RESOURCE.openai.azure.com/openai/v1',
    requires: 'a key and a base URL',
    healthPath: '/models',
    headers: (apiKey) => ({ 'api-key': apiKey }),
    effort: { ...graded, max: 'xhigh' },
    options: { azure: { store: false } },
  },
  google: {
    name: 'Google Gemini',
    defaultModel: 'gemini-flash-latest',
    defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    requires: 'a key',
    healthPath: '/models?pageSize=1',
    modelsPath: '/models?pageSize=1000',
    headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    effort: { ...graded, max: 'high' },
  },
  ollama: {
    ...openAiLike,
    name: 'Ollama',
    defaultModel: 'qwen3',
    defaultBaseUrl: 'http://127.0.0.1:11434/v1',
    requires: 'a base URL or a model',
    namespaced: true,
  },
  openrouter: {
    ...openAiLike,
    name: 'OpenRouter',
    defaultModel: 'openrouter/auto',
    defaultBaseUrl: 'https://openrouter.ai/api/v1',
    healthPath: '/key',
    namespaced: true,
    effort: { ...graded, max: 'high' },
  },
  groq: {
    ...openAiLike,
    name: 'Groq',
    defaultModel: 'openai/gpt-oss-120b',
    defaultBaseUrl: 'https://api.groq.com/openai/v1',
    namespaced: true,
  },
  xai: {
    ...openAiLike,
    name: 'xAI',
    defaultModel: 'grok-latest',
    defaultBaseUrl: 'https://api.x.ai/v1',
    effort: { ...graded, max: 'high' },
    options: { xai: { store: false } },
  },
  mistral: {
    ...openAiLike,
    name: 'Mistral',
    defaultModel: 'mistral-large-latest',
    defaultBaseUrl: 'https://api.mistral.ai/v1',
    callIds: /^[a-zA-Z0-9]{9}$/,
  },
  cohere: {
    name: 'Cohere',
    defaultModel: 'command-a-03-2025',
    defaultBaseUrl: 'https://api.cohere.com/v2',
    requires: 'a key',
    // Only version 1 of the API lists models.
    healthPath: '/../v1/models?page_size=1',
    modelsPath: '/../v1/models?page_size=1000&endpoint=chat',
    headers: bearer,
  },
  perplexity: {
    name: 'Perplexity',
    defaultModel: 'sonar-pro',
    defaultBaseUrl: 'https://api.perplexity.ai',
    requires: 'a key',
    // It lists no models; this lists requests for later answers.
    healthPath: '/async/chat/completions',
    headers: bearer,
    toolless: true,
  },
  deepseek: {
    ...openAiLike,
    name: 'DeepSeek',
    defaultModel: 'deepseek-v4-pro',
    defaultBaseUrl: 'https://api.deepseek.com',
    effort: { ...graded, max: 'xhigh' },
  },
  together: {
    ...openAiLike,
    name: 'Together AI',
    defaultModel: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    defaultBaseUrl: 'https://api.together.xyz/v1',
    namespaced: true,
  },
  cerebras: {
    ...openAiLike,
    name: 'Cerebras',
    defaultModel: 'gpt-oss-120b',
    defaultBaseUrl: 'https://api.cerebras.ai/v1',
  },
  fireworks: {
    ...openAiLike,
    name: 'Fireworks',
    defaultModel: 'accounts/fireworks/models/kimi-k2p6',
    defaultBaseUrl: 'https://api.fireworks.ai/inference/v1',
    namespaced: true,
  },
} as const satisfies Readonly<Record<string, CatalogEntry>>

/** The scripted demo model: no provider kind, and never among the configured ones. */
export const demoEntry: CatalogEntry = {
  name: 'Demo model (scripted, not an AI)',
  defaultModel: 'demo',
  defaultBaseUrl: 'http://127.0.0.1',
  requires: 'a base URL or a model',
  healthPath: '/models',
  headers: bearer,
}
