import { Problem } from './errors.ts'

/** A provider that asks for a longer wait has a usage limit; a shorter one is a rate limit, which callers wait for. */
export const LONGEST_RATE_LIMIT_MS = 60_000

/** Whether a call was refused by a usage limit of its provider, which says when it may be used again. */
export const isUsageLimit = (thrown: unknown): thrown is Problem & { retryAfterMs: number } =>
  thrown instanceof Problem &&
  thrown.kind === 'rate_limited' &&
  (thrown.retryAfterMs ?? 0) > LONGEST_RATE_LIMIT_MS
