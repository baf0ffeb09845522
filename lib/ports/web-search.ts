/** The providers of searches there are; their settings are stored and shown under these names. */
export const WEB_SEARCH_PROVIDERS = ['brave', 'tavily', 'serper', 'searxng'] as const
export type WebSearchProviderId = (typeof WEB_SEARCH_PROVIDERS)[number]

/** What a provider gets to know of the installation. */
export const WEB_SEARCH_FIELDS = ['baseUrl', 'apiKey'] as const
type WebSearchField = (typeof WEB_SEARCH_FIELDS)[number]
type WebSearchAccess = { [Field in WebSearchField]?: string | undefined }

/** A page that was found; all of it are words of strangers. */
export type WebResult = { title: string; url: string; snippet: string }

/** One provider of searches of the web. */
export type WebSearchProvider = {
  /** As people are shown it. */
  name: string
  description: string
  configFields: readonly WebSearchField[]
  /** Those of `configFields` without which it does not search. */
  required: readonly WebSearchField[]
  /**
   * Searches; the best result first, ten at most. The access holds what is required. Throws Problem `unavailable`
   * `web_search_key_refused`, `rate_limited` `web_search_rate_limited` or `unavailable` `web_search_failed`, with no word of
   * the provider in it, and what the outbound port throws. Throws the reason of a signal that aborts.
   */
  search(query: string, access: WebSearchAccess, signal: AbortSignal): Promise<readonly WebResult[]>
}

export type WebSearchProviders = Readonly<Record<WebSearchProviderId, WebSearchProvider>>
