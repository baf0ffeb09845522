/** The longest wait that the service takes from an answer, or asks its callers for: a day. */
export const LONGEST_RETRY_AFTER_MS = 86_400_000

/** A wait that something outside asks for, as whole milliseconds up to a day. Undefined for anything but a number from 0. */
export const boundedWaitMs = (asked: unknown): number | undefined =>
  typeof asked === 'number' && asked >= 0 ? Math.min(Math.ceil(asked), LONGEST_RETRY_AFTER_MS) : undefined

/**
 * Milliseconds to wait by a header `Retry-After`: seconds (also fractions, which some servers send) or a date (RFC 9110,
 * section 10.2.3), a day at most. Undefined for a missing or malformed header; 0 for a past date.
 */
export const retryAfterMs = (header: string | null | undefined, nowMs: number): number | undefined => {
  if (header === null || header === undefined) return undefined
  const text = header.trim()
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  return boundedWaitMs(Math.max(0, ms))
}

/** The value of a header `Retry-After` to send: whole seconds, from 1 to a day. */
export const retryAfterSeconds = (waitMs: number): string =>
  String(Math.max(1, Math.ceil((boundedWaitMs(waitMs) ?? 0) / 1_000)))
