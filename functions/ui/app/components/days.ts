type Day = { date: string; created: number; completed: number; failed: number }

const DAY_MS = 86_400_000

/** The last days up to today (UTC), those in which nothing happened included. */
export const lastDays = (daily: readonly Day[], now: number, count: number): Day[] => {
  const known = new Map(daily.map((day) => [day.date, day]))
  return Array.from({ length: count }, (_, n) => {
    const date = new Date(now - (count - 1 - n) * DAY_MS).toISOString().slice(0, 10)
    return known.get(date) ?? { date, created: 0, completed: 0, failed: 0 }
  })
}
