/** A receiver that asks for more is asked again after a day. */
const LONGEST_RETRY_AFTER_MS = 86_400_000

/** What a receiver's `Retry-After` asks for: seconds or a date (RFC 9110, section 10.2.3); 0 where it makes no sense. */
export const retryAfterMs = (header: string | undefined, nowMs: number): number => {
  if (header === undefined) return 0
  const asked = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(asked, 0), LONGEST_RETRY_AFTER_MS)
}

/**
 * How long to wait after so many failed sends: what the schedule says, or longer where the receiver asked for it.
 * Undefined when the schedule is at its end. Nothing shortens a wait.
 */
export const waitAfter = (
  sends: number,
  delaysMs: readonly number[],
  askedMs: number,
): number | undefined => {
  const delayMs = delaysMs[sends - 1]
  return delayMs === undefined ? undefined : Math.max(delayMs, askedMs)
}
