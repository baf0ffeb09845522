/**
 * Milliseconds to wait by a header `Retry-After`: seconds (also fractions, which some servers send) or a date (RFC 9110,
 * section 10.2.3). Undefined for a missing or malformed header; 0 for a past date.
 */
export const retryAfterMs = (header: string | null | undefined, nowMs: number): number | undefined => {
  if (header === null || header === undefined) return undefined
  const ms = /^\d{1,9}(?:\.\d{1,9})?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
