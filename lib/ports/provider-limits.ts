/** What a provider said when it refused a call by a usage limit: its words, and how long it asks to be left alone. */
type UsageLimit = { reason: string; retryAfterMs: number }

/** Learns from the calls of providers whether their accounts can be used. Never rejects. */
export interface ProviderLimits {
  /** A call was refused by a usage limit. Resolves when runs that need the provider are held. */
  limited(provider: string, limit: UsageLimit): Promise<void>
  /** A call was answered. */
  answered(provider: string): void
}

/** For models whose limits hold no run. */
export const noProviderLimits: ProviderLimits = {
  limited: async () => undefined,
  answered: () => undefined,
}
