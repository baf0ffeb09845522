export type Day = { date: string; created: number; completed: number; failed: number; costUsd: number }

const HOUR_MS = 3_600_000
const QUARTER_MS = HOUR_MS / 4
const DAY_MS = 24 * HOUR_MS
/** The largest offset of a time zone from UTC. */
const FURTHEST_MS = 14 * HOUR_MS

/** The last `count` days of UTC up to today, with zeros for days that are missing. */
export const lastDays = (daily: readonly Day[], now: number, count: number): Day[] => {
  const known = new Map(daily.map((day) => [day.date, day]))
  return Array.from({ length: count }, (_, n) => {
    const date = new Date(now - (count - 1 - n) * DAY_MS).toISOString().slice(0, 10)
    return known.get(date) ?? { date, created: 0, completed: 0, failed: 0, costUsd: 0 }
  })
}

/**
 * Epoch milliseconds at which a day (`2026-11-25`) begins in a time zone. If a clock change skips midnight, the day begins at its first
 * instant. All zone offsets are multiples of 15 minutes.
 */
export const startOfDay = (date: string, timeZone: string): number => {
  const format = new Intl.DateTimeFormat('en-CA', {
    ...({ timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const),
  })
  let at = Date.parse(date) - FURTHEST_MS
  while (format.format(at) < date) at += QUARTER_MS
  return at
}

/** Rejects `2026-02-31`, which Date.parse reads as 3 March, and years that are not formatted with four digits. */
const isDay = (text: string) => {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return false
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** Replaces days in filters by instants: the service reads a day as a day of UTC. */
export const daysAsMoments = (
  filters: Readonly<Record<string, string>>,
  timeZone: string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, value]) => {
      if (!/(?:After|Before)$/.test(name) || !isDay(value)) return [name, value]
      const isFirst = name.endsWith('After')
      const dayAfter = new Date(Date.parse(value) + DAY_MS).toISOString().slice(0, 10)
      const at = isFirst ? startOfDay(value, timeZone) : startOfDay(dayAfter, timeZone) - 1
      return [name, new Date(at).toISOString()]
    }),
  )
