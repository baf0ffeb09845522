import type { WebSearchAnswer, WebSearchChange } from '../../data/integrations.ts'

type Config = WebSearchAnswer['config']

/** What was typed and is not saved yet; the key and the address are of the provider that is chosen. */
export type WebSearchDraft = {
  enabled?: boolean
  provider?: Config['provider']
  baseUrl?: string
  apiKey?: string
  isKeyRemoved?: boolean
}

/** What is stored for a provider, its key masked. */
export const accessIn = (
  config: Config,
  provider: Config['provider'],
): { baseUrl?: string | undefined; apiKey?: string | undefined } => config[provider] ?? {}

/** What differs from what is stored, and nothing else: an address that was emptied is taken away, a key that was left empty stays. */
export const webSearchChange = (config: Config, draft: WebSearchDraft): WebSearchChange => {
  const { enabled = config.enabled, provider = config.provider, apiKey = '', isKeyRemoved } = draft
  const { baseUrl: before = '' } = accessIn(config, provider)
  const baseUrl = draft.baseUrl?.trim() ?? before
  const access = {
    ...(isKeyRemoved ? { apiKey: null } : {}),
    ...(apiKey.trim() === '' ? {} : { apiKey: apiKey.trim() }),
    ...(baseUrl === before ? {} : { baseUrl: baseUrl || null }),
  }
  return {
    ...(enabled === config.enabled ? {} : { enabled }),
    ...(provider === config.provider ? {} : { provider }),
    ...(Object.keys(access).length === 0 ? {} : { [provider]: access }),
  }
}
