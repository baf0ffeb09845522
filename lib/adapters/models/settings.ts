/** What the environment says of one provider: `<KIND>_API_KEY`, `<KIND>_BASE_URL`, `<KIND>_MODEL`, `<KIND>_CONTEXT_TOKENS`. */
export type ProviderSettings = { apiKey?: string; baseUrl?: string; model?: string; contextTokens?: number }

/**
 * Plain data from the configuration. `providers` is keyed by provider kind; `default` is `DEFAULT_PROVIDER` and must be
 * configured. `fallbacks` is `FALLBACK_PROVIDERS`, each of them configured as well. `demo` is where the demo model listens: it takes part only when no provider is configured.
 */
export type ModelSettings = {
  providers: Readonly<Record<string, ProviderSettings>>
  default?: string
  fallbacks?: readonly string[]
  demo?: { baseUrl: string }
  /** How often a step is tried again before its first part is handed on. Default 2. */
  retries?: number
  /** A provider that sends nothing for so long is given up. Default 300000, as reasoning can be silent for minutes. */
  silenceMs?: number
}
