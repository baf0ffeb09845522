import { describe, expect, it } from '@jest/globals'
import { type Window, windowParts } from '../../lib/tasks/windows.ts'

const HOUR_MS = 3_600_000
const readableParts = (window: Window, timezone: string, now: string) =>
  windowParts(window, timezone, Date.parse(now)).map(({ from, to }) => ({
    from: new Date(from).toISOString().slice(0, 16),
    hours: (to - from) / HOUR_MS,
  }))

describe('the parts of a window', () => {
  it.each([
    ['1h', 'UTC', '2026-01-15T12:34:56Z', 12, '2026-01-15T11:35', '2026-01-15T12:30', 1 / 12],
    ['1h', 'Asia/Kathmandu', '2026-01-15T12:30:00Z', 12, '2026-01-15T11:35', '2026-01-15T12:30', 1 / 12],
    ['24h', 'UTC', '2026-01-15T12:34:56Z', 24, '2026-01-14T13:00', '2026-01-15T12:00', 1],
    ['24h', 'Asia/Kolkata', '2026-01-15T12:34:56Z', 24, '2026-01-14T13:30', '2026-01-15T12:30', 1],
    ['24h', 'Asia/Kathmandu', '2026-01-15T12:34:56Z', 24, '2026-01-14T13:15', '2026-01-15T12:15', 1],
    ['7d', 'UTC', '2026-01-15T12:34:56Z', 7, '2026-01-09T00:00', '2026-01-15T00:00', 24],
    ['7d', 'Pacific/Chatham', '2026-01-15T12:34:56Z', 7, '2026-01-09T10:15', '2026-01-15T10:15', 24],
  ] as const)(
    'of %s in %s at %s are %d from %s to %s, of equal length',
    (window, zone, now, count, first, last, hours) => {
      const parts = readableParts(window, zone, now)
      expect(parts).toHaveLength(count)
      expect([parts[0]?.from, parts.at(-1)?.from]).toEqual([first, last])
      for (const part of parts) expect(part.hours).toBeCloseTo(hours, 10)
    },
  )

  it.each([
    ['is 23 hours long', 'Europe/Berlin', '2026-03-31T08:00:00Z', '2026-03-28T23:00', 23],
    ['is 25 hours long', 'Europe/Berlin', '2026-10-28T08:00:00Z', '2026-10-24T22:00', 25],
    ['is 23.5 hours long', 'Australia/Lord_Howe', '2026-10-06T08:00:00Z', '2026-10-03T13:30', 23.5],
  ])('have a day that %s where the clocks of %s change', (_what, zone, now, from, hours) => {
    const parts = readableParts('7d', zone, now)
    expect(parts).toHaveLength(7)
    expect(parts.find((part) => part.from === from)?.hours).toBe(hours)
    expect(parts.filter((part) => part.hours !== 24)).toHaveLength(1)
  })

  it.each([
    ['an hour that comes twice', 'Europe/Berlin', '2026-10-25T08:00:00Z'],
    ['an hour that is left out', 'Europe/Berlin', '2026-03-29T08:00:00Z'],
  ])('are 24 hours across %s', (_what, zone, now) => {
    const parts = readableParts('24h', zone, now)
    expect(parts).toHaveLength(24)
    expect(new Set(parts.map(({ hours }) => hours))).toEqual(new Set([1]))
  })

  it('follow one another without a gap', () => {
    for (const window of ['1h', '24h', '7d'] as const) {
      const parts = windowParts(window, 'America/St_Johns', Date.parse('2026-11-02T03:00:00Z'))
      for (const [n, { from }] of parts.slice(1).entries()) expect(from).toBe(parts[n]?.to)
    }
  })
})
