import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { backoffMs, LONGEST_BACKOFF_MS } from '../../lib/core/backoff.ts'

const none = () => 0
const most = () => 1 - Number.EPSILON

const settings = fc.record({
  attempt: fc.integer({ min: 1, max: 5_000 }),
  baseMs: fc.integer({ min: 0, max: 10_000_000 }),
  type: fc.constantFrom('exponential' as const, 'fixed' as const),
  maxMs: fc.integer({ min: 0, max: 10_000_000 }),
})
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('the backoff', () => {
  it.each([
    ['exponential', 1, 1_000],
    ['exponential', 2, 2_000],
    ['exponential', 3, 4_000],
    ['exponential', 10, 512_000],
    ['exponential', 11, LONGEST_BACKOFF_MS],
    ['exponential', 5_000, LONGEST_BACKOFF_MS],
    ['fixed', 1, 1_000],
    ['fixed', 7, 1_000],
  ] as const)('%s after attempt %i waits %i ms, jitter aside', (type, attempt, expected) => {
    expect(backoffMs({ attempt, baseMs: 1_000, type, random: none })).toBe(expected)
  })

  it.each(['exponential', 'fixed'] as const)('that begins with an hour stays there, %s', (type) => {
    const hour = { baseMs: 3_600_000, type, random: none }
    expect([1, 2, 9].map((attempt) => backoffMs({ ...hour, attempt }))).toEqual([
      3_600_000, 3_600_000, 3_600_000,
    ])
  })

  it('is lengthened by up to a quarter', () => {
    expect(backoffMs({ attempt: 1, baseMs: 1_000, type: 'fixed', random: most })).toBe(1_250)
  })

  it('is never shortened by jitter, never longer than the longest, and whole', () => {
    fc.assert(
      fc.property(settings, share, (given, at) => {
        const waits = backoffMs({ ...given, random: () => at })
        const plain = backoffMs({ ...given, random: none })
        expect(Number.isInteger(waits)).toBe(true)
        expect(waits).toBeGreaterThanOrEqual(plain)
        expect(waits).toBeLessThanOrEqual(Math.min(given.maxMs, Math.ceil(plain * 1.25)))
      }),
    )
  })

  it('grows with the attempt', () => {
    fc.assert(
      fc.property(settings, (given) => {
        const next = { ...given, attempt: given.attempt + 1, random: none }
        expect(backoffMs(next)).toBeGreaterThanOrEqual(backoffMs({ ...given, random: none }))
      }),
    )
  })
})
