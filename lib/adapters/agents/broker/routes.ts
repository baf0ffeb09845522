import { type BrokeredKind, brokeredKinds } from '../../../core/brokered-kinds.ts'
import type { Wire } from './usage.ts'

/** The providers whose calls the broker passes on, and the header that carries a key to each. */
export const brokered = {
  anthropic: { keyHeader: 'x-api-key', key: (apiKey: string) => apiKey },
  openai: { keyHeader: 'authorization', key: (apiKey: string) => `Bearer ${apiKey}` },
  google: { keyHeader: 'x-goog-api-key', key: (apiKey: string) => apiKey },
} as const satisfies Readonly<Record<BrokeredKind, object>>

/** A call that agents make of a provider: its method, its path below the version, and the wire of its answer. */
type Route = { method: 'GET' | 'POST'; path: RegExp; wire?: Wire }

const models: Route = { method: 'GET', path: /^\/models(?:\/(?!\.+(?:\/|$))[\w.:-]+)*$/ }

/** Nothing else of a provider's API is passed on: files, batches and keys of the operator are no business of an agent. */
const routes: Readonly<Record<BrokeredKind, readonly Route[]>> = {
  anthropic: [
    { method: 'POST', path: /^\/messages$/, wire: 'messages' },
    { method: 'POST', path: /^\/messages\/count_tokens$/ },
    models,
  ],
  openai: [
    { method: 'POST', path: /^\/chat\/completions$/, wire: 'chat' },
    { method: 'POST', path: /^\/responses$/, wire: 'responses' },
    models,
  ],
  google: [
    { method: 'POST', path: /^\/models\/[\w.-]+:(?:generateContent|streamGenerateContent)$/, wire: 'gemini' },
    { method: 'POST', path: /^\/models\/[\w.-]+:countTokens$/ },
    models,
  ],
}

const REQUEST = new RegExp(`^/(${brokeredKinds.join('|')})/(v\\d\\w*)(/[^?#]*)(\\?[^#]*)?$`)

/** Where a request of an agent goes: `/anthropic/v1/messages` to `/messages` below the provider's base URL. */
export type Target = { kind: BrokeredKind; path: string; wire?: Wire }

export const findTarget = (method: string, url: string): Target | undefined => {
  const [, kind, , below = '', query = ''] = REQUEST.exec(url) ?? []
  if (kind === undefined) return undefined
  const route = routes[kind as BrokeredKind].find((one) => one.method === method && one.path.test(below))
  if (route === undefined) return undefined
  // A key in the query would be the token of the run.
  const parameters = new URLSearchParams(query)
  parameters.delete('key')
  const rest = parameters.size > 0 ? `?${parameters}` : ''
  return { kind: kind as BrokeredKind, path: below + rest, ...(route.wire && { wire: route.wire }) }
}

/** The variables by which agents know the models that are set for providers: `ANTHROPIC_MODEL`. */
export const modelVariables = (
  models: Readonly<Partial<Record<BrokeredKind, string>>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(models).map(([kind, model]) => [`${kind.toUpperCase()}_MODEL`, model]))

/** The variables by which agents find the broker at an address. */
export const brokerVariables = (origin: string, token: string): Readonly<Record<string, string>> => ({
  ANTHROPIC_BASE_URL: `${origin}/anthropic`,
  ANTHROPIC_API_KEY: token,
  OPENAI_BASE_URL: `${origin}/openai/v1`,
  OPENAI_API_KEY: token,
  GOOGLE_GEMINI_BASE_URL: `${origin}/google`,
  GEMINI_API_KEY: token,
})
