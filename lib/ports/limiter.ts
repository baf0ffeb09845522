/** So many calls in a window that begins with the first of them. `name` tells the limits apart. */
export type Limit = { name: string; calls: number; windowMs: number }

/** Counts calls; where many processes serve, they count together. */
export interface Limiter {
  /**
   * Counts one call of `key` against the limit. Resolves to 0 when it is within, else to the milliseconds until the
   * window is over. What is refused counts too, and does not make the window longer. Rejects with Problem
   * `unavailable` when the medium fails.
   */
  take(limit: Limit, key: string): Promise<number>
  /** Takes back one call that was counted, as long as its window lasts: for limits on what failed only. */
  giveBack(limit: Limit, key: string): Promise<void>
}
