import { expect, it } from '@jest/globals'
import { iso, utcDay } from '../../lib/core/time.ts'

it('writes moments as texts of equal length that sort as they do', () => {
  const moments = [
    0,
    1,
    999,
    1_000,
    Date.UTC(2026, 0, 1),
    Date.UTC(2026, 11, 31, 23, 59, 59, 999),
    Date.UTC(9999, 0),
  ]
  const texts = moments.map(iso)

  expect(texts).toEqual([...texts].sort())
  expect(new Set(texts.map(({ length }) => length))).toEqual(new Set([24]))
})

it('takes the day in UTC from a moment', () => {
  expect(utcDay(iso(Date.UTC(2026, 0, 1, 23, 59, 59, 999)))).toBe('2026-01-01')
  expect(utcDay(iso(Date.UTC(2026, 0, 2)))).toBe('2026-01-02')
})
