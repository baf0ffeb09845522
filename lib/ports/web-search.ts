/** The providers of web search; their settings are stored and shown under these names. */
export const WEB_SEARCH_PROVIDERS = ['brave', 'tavily', 'serper', 'searxng'] as const
export type WebSearchProviderId = (typeof WEB_SEARCH_PROVIDERS)[number]

/** The fields of a provider's configuration. */
export const WEB_SEARCH_FIELDS = ['baseUrl', 'apiKey'] as const
type WebSearchField = (typeof WEB_SEARCH_FIELDS)[number]
type WebSearchAccess = { [Field in WebSearchField]?: string | undefined }

/** A found page. All its texts are untrusted. */
export type WebResult = { title: string; url: string; snippet: string }

/** One provider of web search. */
export type WebSearchProvider = {
  /** The name that people see. */
  name: string
  description: string
  configFields: readonly WebSearchField[]
  /** The fields of `configFields` that a search needs. */
  required: readonly WebSearchField[]
  /**
   * Searches; the best result first, ten at most. `access` has all required fields. Throws Problem `unavailable`
   * `web_search_key_refused`, `rate_limited` `web_search_rate_limited` or `unavailable` `web_search_failed`, without
   * quoting the provider, and the errors of the outbound port. Throws the reason of a signal that aborts.
   */
  search(query: string, access: WebSearchAccess, signal: AbortSignal): Promise<readonly WebResult[]>
}

export type WebSearchProviders = Readonly<Record<WebSearchProviderId, WebSearchProvider>>
