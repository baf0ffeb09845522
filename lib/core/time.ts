/** Epoch milliseconds as an ISO 8601 text in UTC with milliseconds: of equal length, so texts sort as times do. */
export const iso = (epochMs: number): string => {
  if (epochMs !== latest.ms) latest = { ms: epochMs, text: new Date(epochMs).toISOString() }
  return latest.text
}

// Many texts are made of one millisecond, and making one costs more than most of what is done with it.
let latest = { ms: 0, text: '1970-01-01T00:00:00.000Z' }

/** Epoch milliseconds of a text that `iso` made. */
export const msOf = (isoText: string): number => (isoText === latest.text ? latest.ms : Date.parse(isoText))

/** The calendar day in UTC of an ISO text, `YYYY-MM-DD`. */
export const dayOf = (isoText: string): string => isoText.slice(0, 10)
