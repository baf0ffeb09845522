const UNITS = [
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const

/** A duration for people, in the largest unit of which it is a whole number: `5 minutes`, `90 seconds`, `250 ms`. */
export const durationText = (ms: number): string => {
  for (const [size, unit] of UNITS) {
    const count = ms / size
    if (count >= 1 && Number.isInteger(count)) return `${count} ${unit}${count === 1 ? '' : 's'}`
  }
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} seconds`
}

let latest = { epochMs: Number.NaN, text: '' }

/**
 * Epoch milliseconds as ISO 8601 in UTC. All texts have the same length, so they sort by time. The latest one is kept: a
 * busy process asks for each millisecond several times.
 */
export const iso = (epochMs: number): string => {
  if (epochMs !== latest.epochMs) latest = { epochMs, text: new Date(epochMs).toISOString() }
  return latest.text
}

/** The calendar day in UTC of an ISO text, `YYYY-MM-DD`. */
export const utcDay = (isoText: string): string => isoText.slice(0, 10)

/** The calendar month in UTC of an ISO text, `YYYY-MM`. */
export const utcMonth = (isoText: string): string => isoText.slice(0, 7)
