/** A request to a place where people have accounts. Its address was chosen by the operator, never by a caller. */
type ProviderRequest = {
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | URLSearchParams
  /** Less than the usual time. */
  timeoutMs?: number
}

/**
 * One HTTP exchange of at most 10 seconds in all. Redirects are answers like any other and are not followed. The answer
 * is whole when this resolves. Rejects with Problem `unavailable` `provider_unreachable` when there is none in time, or
 * when its body has more than 1 MiB.
 */
export type ProviderFetch = (url: string, request?: ProviderRequest) => Promise<Response>
