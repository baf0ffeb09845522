/**
 * The wait that a `Retry-After` asks for, in milliseconds: seconds, also a fraction of them as some write it, or a date (RFC 9110, section 10.2.3). Undefined where
 * the header is missing or malformed; a date that has passed is no wait.
 */
export const retryAfterMs = (header: string | null | undefined, nowMs: number): number | undefined => {
  if (header === null || header === undefined) return undefined
  const ms = /^\d{1,9}(?:\.\d{1,9})?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
