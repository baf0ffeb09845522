/** So many calls in any window of that length (a sliding window). `name` distinguishes the limits. */
export type Limit = { name: string; calls: number; windowMs: number }

/** Counts calls; where many processes serve, they count together. */
export interface Limiter {
  /**
   * Lets one call of `key` pass, and resolves to 0, unless as many have passed within the last `windowMs`: then it
   * resolves to the milliseconds until the next may, and the call does not count. A limit of up to 100 calls is exact; of
   * a greater one each call may count for up to a hundredth of the window longer, never shorter. Rejects with Problem
   * `unavailable` when the medium fails or too many processes count the same key at once.
   */
  take(limit: Limit, key: string): Promise<number>
  /**
   * Lets one call of several keys pass, asked in their order, if all of them let it; else it counts for none. Resolves
   * and rejects as `take`.
   */
  takeAll(limit: Limit, keys: readonly string[]): Promise<number>
  /** Takes back one call that passed, as long as its window lasts: for limits on what failed only. */
  giveBack(limit: Limit, key: string): Promise<void>
}
