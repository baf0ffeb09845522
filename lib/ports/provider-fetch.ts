/** A request to a provider of accounts. The operator chose its address, never a caller. */
type ProviderRequest = {
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | URLSearchParams
  /** Shorter than the default time-out. */
  timeoutMs?: number
}

/**
 * One HTTP exchange of at most 10 seconds in all. Redirects are returned as answers and not followed. Resolves when the
 * answer is complete. Rejects with Problem `unavailable` `provider_unreachable` when there is none in time, or when its
 * body has more than 1 MiB.
 */
export type ProviderFetch = (url: string, request?: ProviderRequest) => Promise<Response>
