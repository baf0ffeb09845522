/** 15 minutes, where the caller gives no other limit. A first wait that is longer than this is not shortened. */
export const LONGEST_BACKOFF_MS = 900_000

// A quarter spreads a burst of failures apart and keeps the schedule readable in a log.
const JITTER = 0.25

/** `attempt` is the one that failed, from 1. `random` gives numbers in [0, 1). */
export type Backoff = {
  attempt: number
  baseMs: number
  type: 'exponential' | 'fixed'
  random: () => number
  maxMs?: number
}

/**
 * Milliseconds to wait after a failed attempt: `baseMs` when fixed, `baseMs · 2^(attempt - 1)` when exponential,
 * lengthened by up to a quarter; jitter never shortens a wait, and nothing lengthens it beyond `maxMs`.
 */
export const backoffMs = (wait: Backoff): number => {
  const { attempt, baseMs, type, random, maxMs = Math.max(LONGEST_BACKOFF_MS, baseMs) } = wait
  // Clamped exponents keep the power finite, since 0 · Infinity is no number.
  const doublings = type === 'fixed' ? 0 : Math.min(Math.max(attempt - 1, 0), 52)
  return Math.min(maxMs, Math.ceil(baseMs * 2 ** doublings * (1 + JITTER * random())))
}
