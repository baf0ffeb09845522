import type { Limit } from '../ports/limiter.ts'

/** So many calls that passed at one time, in epoch milliseconds; the oldest first. */
export type Moments = readonly (readonly [at: number, calls: number])[]

/** So many moments of a window are told apart, which bounds what is kept of a limit with many calls. */
const MOST_MOMENTS = 100

/**
 * Those that are younger than the window. A clock that was set back by more than the window would make all callers wait
 * until it has caught up, so what is as far ahead counts no more either.
 */
export const liveMoments = (moments: Moments, { windowMs }: Limit, now: number): Moments =>
  moments.filter(([at]) => Math.abs(now - at) < windowMs)

/** Milliseconds until a call may pass; 0 when it may now. */
export const waitMs = (live: Moments, { calls, windowMs }: Limit, now: number): number => {
  let tooMany = live.reduce((sum, [, passed]) => sum + passed, 0) - calls + 1
  if (tooMany <= 0) return 0
  for (const [at, passed] of live) {
    tooMany -= passed
    if (tooMany <= 0) return at + windowMs - now
  }
  // Of a limit of none.
  return windowMs
}

/**
 * With one call more. Of a limit with more calls than moments are told apart, a call counts as made at the end of its
 * hundredth of the window: so it counts for longer than it should, and never for shorter. Clocks of processes differ, and
 * the oldest stay first.
 */
export const withCall = (live: Moments, { calls, windowMs }: Limit, now: number): Moments => {
  const stepMs = calls <= MOST_MOMENTS ? 1 : Math.ceil(windowMs / MOST_MOMENTS)
  const [newest, passed] = live.at(-1) ?? [0, 0]
  const at = Math.max(newest, Math.ceil(now / stepMs) * stepMs)
  return at === newest ? [...live.slice(0, -1), [at, passed + 1]] : [...live, [at, 1]]
}

/** With one call less: the oldest, so that those that stay count for as long as they should. */
export const withoutCall = ([oldest, ...rest]: Moments): Moments => {
  if (oldest === undefined) return []
  const [at, passed] = oldest
  return passed > 1 ? [[at, passed - 1], ...rest] : rest
}
