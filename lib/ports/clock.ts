/** The only source of time. `now` is epoch milliseconds; `monotonic` never steps back and measures durations. */
export interface Clock {
  now(): number
  monotonic(): number
  /** Calls back once after `delayMs`; the returned function cancels. A pending timer does not keep the process alive. */
  after(delayMs: number, call: () => void): () => void
}
