import * as z from 'zod'
import { listIfGiven, text, url, wholeNumber } from './values.ts'

export const PROVIDER_KINDS = [
  ...(['anthropic', 'openai', 'azure', 'google', 'ollama', 'openrouter', 'groq', 'xai'] as const),
  ...(['mistral', 'cohere', 'perplexity', 'deepseek', 'together', 'cerebras', 'fireworks'] as const),
] as const
type ProviderKind = (typeof PROVIDER_KINDS)[number]

/** `<KIND>_API_KEY`, `<KIND>_BASE_URL`, `<KIND>_MODEL` and `<KIND>_CONTEXT_TOKENS` of one kind of provider. */
const Provider = z.object({
  apiKey: text.optional(),
  baseUrl: url,
  model: text.optional(),
  contextTokens: wholeNumber(1_000, 100_000_000).optional(),
})
/** A field that is not set is absent. */
export type ProviderSettings = { apiKey?: string; baseUrl?: string; model?: string; contextTokens?: number }

const ACCOUNT_KINDS = ['codehost', 'trackera', 'trackerb'] as const
type AccountKind = (typeof ACCOUNT_KINDS)[number]

/** `<KIND>_CLIENT_ID` and so on of one provider of accounts; the default URLs are those of the real one. */
const Account = z.object({
  clientId: text.optional(),
  clientSecret: text.optional(),
  authorizeUrl: url,
  tokenUrl: url,
  apiUrl: url,
  linkScopes: listIfGiven,
})
type AccountSettings = z.output<typeof Account>

/** `<KIND>_WEBHOOK_SECRET` as entered at the provider: every character but line breaks around it is part of the key. */
const Inbound = z.object({
  webhookSecret: z.string().max(1_024, 'must have at most 1024 characters').optional(),
})
type InboundSettings = z.output<typeof Inbound>

/** Variables that are named by a kind and a field: `apiKey` of openai is `OPENAI_API_KEY`. */
export const families = {
  providers: { kinds: PROVIDER_KINDS, schema: Provider },
  accounts: { kinds: ACCOUNT_KINDS, schema: Account },
  inbound: { kinds: ACCOUNT_KINDS, schema: Inbound },
} as const

export type Families = {
  providers: Readonly<Record<ProviderKind, ProviderSettings>>
  accounts: Readonly<Record<AccountKind, AccountSettings>>
  inbound: Readonly<Record<AccountKind, InboundSettings>>
}

export const variable = (kind: string, field: string): string =>
  `${kind}_${field.replace(/[A-Z]/g, (letter) => `_${letter}`)}`.toUpperCase()

export const familyNames: readonly string[] = Object.values(families).flatMap(({ kinds, schema }) =>
  kinds.flatMap((kind) => Object.keys(schema.shape).map((field) => variable(kind, field))),
)

export const isConfigured = (settings: object): boolean =>
  Object.values(settings).some((value) => value !== undefined)
