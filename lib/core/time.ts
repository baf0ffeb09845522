/**
 * Formats epoch milliseconds as ISO 8601 in UTC with milliseconds. All texts have the same length, so they sort by time.
 */
export const iso = (epochMs: number): string => {
  if (epochMs !== latest.ms) latest = { ms: epochMs, text: new Date(epochMs).toISOString() }
  return latest.text
}

// The latest text is cached: many calls are in the same millisecond, and formatting is expensive.
let latest = { ms: 0, text: '1970-01-01T00:00:00.000Z' }

/** Parses a text that `iso` made to epoch milliseconds. */
export const msOf = (isoText: string): number => (isoText === latest.text ? latest.ms : Date.parse(isoText))

/** The calendar day in UTC of an ISO text, `YYYY-MM-DD`. */
export const dayOf = (isoText: string): string => isoText.slice(0, 10)
