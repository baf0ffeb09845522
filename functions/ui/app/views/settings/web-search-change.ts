import type { WebSearchAnswer, WebSearchChange } from '../../data/integrations.ts'

type Config = WebSearchAnswer['config']

/** Unsaved values; key and URL belong to the chosen provider. */
export type WebSearchDraft = {
  enabled?: boolean
  provider?: Config['provider']
  baseUrl?: string
  apiKey?: string
  isKeyRemoved?: boolean
}

export const accessIn = (
  config: Config,
  provider: Config['provider'],
): { baseUrl?: string | undefined; apiKey?: string | undefined } => config[provider] ?? {}

/** Only what changed. An emptied URL is removed; an empty key keeps the stored one. */
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
