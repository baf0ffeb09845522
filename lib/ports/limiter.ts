/** At most `calls` in any window of that length (a sliding window). `name` distinguishes limits. */
export type Limit = { name: string; calls: number; windowMs: number }

/** Counts calls; several processes share one count. */
export interface Limiter {
  /**
   * Counts one call of `key` and resolves to 0, unless the last `windowMs` already have as many calls as allowed: then it
   * resolves to the milliseconds until the next call is allowed, and counts nothing. A limit of up to 100 calls is exact;
   * with a greater limit each call may count up to a hundredth of the window longer, never shorter. Rejects with Problem
   * `unavailable` when the medium fails or too many processes count the same key at once.
   */
  take(limit: Limit, key: string): Promise<number>
  /**
   * Counts one call of several keys, in their order, if every key allows it; else counts nothing. Resolves and rejects as
   * `take`.
   */
  takeAll(limit: Limit, keys: readonly string[]): Promise<number>
  /** Uncounts one call within its window, for limits that count failures only. */
  giveBack(limit: Limit, key: string): Promise<void>
}
