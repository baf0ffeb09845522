import { QUARTER_MS, SLOT_MS } from './hourly-counters.ts'

export const WINDOWS = ['1h', '24h', '7d'] as const
export type Window = (typeof WINDOWS)[number]

/** Epoch milliseconds from `from` up to, and without, `to`. */
export type Span = { from: number; to: number }

const HOUR_MS = 3_600_000
const SLOTS = HOUR_MS / SLOT_MS

/**
 * The parts of a window, the last of which contains `now`: twelve of five minutes, 24 hours, or seven days of the time
 * zone. A day on which its clocks change has 23 or 25 hours; an hour that occurs twice is two parts.
 */
export const windowParts = (window: Window, timezone: string, now: number): Span[] => {
  if (window === '1h') {
    const last = now - (now % SLOT_MS)
    return Array.from({ length: SLOTS }, (_, n) => {
      const from = last - (SLOTS - 1 - n) * SLOT_MS
      return { from, to: from + SLOT_MS }
    })
  }
  return window === '24h'
    ? alike(hourIn(timezone), 24, 2 * HOUR_MS, now)
    : alike(dayIn(timezone), 7, 26 * HOUR_MS, now)
}

/** The last parts whose quarters have the same name. Offsets of all time zones are whole quarters of an hour. */
const alike = (partName: (ms: number) => string, count: number, longestMs: number, now: number): Span[] => {
  const spans: Span[] = []
  let name = ''
  const first = now - (now % QUARTER_MS) - (count + 1) * longestMs
  for (let at = first; at <= now + longestMs; at += QUARTER_MS) {
    const last = spans.at(-1)
    const own = partName(at)
    if (last !== undefined && own === name) last.to = at + QUARTER_MS
    else if (at > now) break
    else spans.push({ from: at, to: at + QUARTER_MS })
    name = own
  }
  return spans.slice(-count)
}

const dayIn = (timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format

/** The name includes the offset: an hour that occurs twice has two names. */
const hourIn = (timeZone: string) =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  }).format
