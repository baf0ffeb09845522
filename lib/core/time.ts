/**
 * Formats epoch milliseconds as ISO 8601 in UTC with milliseconds. All texts have the same length, so they sort by time.
 */
export const iso = (epochMs: number): string => new Date(epochMs).toISOString()

/** The calendar day in UTC of an ISO text, `YYYY-MM-DD`. */
export const dayOf = (isoText: string): string => isoText.slice(0, 10)
