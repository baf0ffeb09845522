/** A request to an address that a third party chose. */
export type OutboundRequest = {
  method: 'GET' | 'POST'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** The limit of the whole exchange, from the name lookup to the end of the answer; 15 s when absent. */
  timeoutMs?: number
  /** The most bytes read of the answer's body, as sent and as decoded; 64 KiB when absent. */
  mostBytes?: number
  /** Aborts the request; `send` throws its reason. */
  signal?: AbortSignal
}

/**
 * An answer of any status. Header names are in lower case. `bytes` are those of the body without its content codings, and
 * `body` is their text as UTF-8; `truncated` says that the body was longer. `undecoded` says why there are none: the
 * content coding is unknown, or the body does not fit it.
 */
export type OutboundAnswer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  bytes: Uint8Array
  truncated: boolean
  undecoded?: string
}

/**
 * Requests to addresses that users chose. They reach only public addresses and those that the operator allows: the
 * addresses of a name are checked at each lookup, and the address of a connection is checked too. No redirect is
 * followed, no proxy of the environment is used, and no connection is reused.
 */
export interface Outbound {
  /**
   * Throws Problem `invalid` `url_refused` unless the URL is http or https, has no credentials, and leads to an allowed
   * address. A name that cannot be looked up passes, since it may exist later: `send` checks again.
   */
  check(url: string): Promise<void>
  /**
   * Throws the errors of `check`, Problem `unavailable` `outbound_timeout` after the limit, and Problem `unavailable`
   * `outbound_failed` when there is no answer.
   */
  send(request: OutboundRequest): Promise<OutboundAnswer>
}
