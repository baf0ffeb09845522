/** Epoch milliseconds as an ISO 8601 text in UTC with milliseconds: of equal length, so texts sort as times do. */
export const iso = (epochMs: number): string => new Date(epochMs).toISOString()

/** The calendar day in UTC of an ISO text, `YYYY-MM-DD`. */
export const dayOf = (isoText: string): string => isoText.slice(0, 10)
