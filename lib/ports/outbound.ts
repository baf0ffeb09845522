/** A request to an address that a third party chose. */
export type OutboundRequest = {
  method: 'GET' | 'POST'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** For everything together, from looking up the name to the end of the answer; 15 s when absent. */
  timeoutMs?: number
  /** The most that is read of the answer's body; 64 KiB when absent. */
  mostBytes?: number
  /** Gives the request up; `send` throws its reason. */
  signal?: AbortSignal
}

/** An answer of any status; header names are in lower case, and `truncated` says that the body went on. */
export type OutboundAnswer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  truncated: boolean
}

/**
 * Requests to addresses that users chose. They reach public addresses only, and those that the operator allows: what a
 * name stands for is checked whenever it is looked up, and so is the address that a connection really has. No redirect
 * is followed, no proxy of the environment is used, and no connection is used twice.
 */
export interface Outbound {
  /**
   * Throws Problem `invalid` `url_refused` unless the URL is http or https, without credentials, and leads to where it
   * may. A name that cannot be looked up passes, since it may be later: `send` checks again.
   */
  check(url: string): Promise<void>
  /**
   * Throws what `check` throws, Problem `unavailable` `outbound_timeout` when time is up, and Problem `unavailable`
   * `outbound_failed` when there is no answer.
   */
  send(request: OutboundRequest): Promise<OutboundAnswer>
}
