import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { createHistogram } from '../../lib/core/histogram.ts'

const latencies = fc.array(fc.double({ min: 0.01, max: 86_400_000, noNaN: true }), {
  minLength: 1,
  maxLength: 300,
})
const share = fc.double({ min: 0, max: 1, noNaN: true })

const recorded = (values: readonly number[]) => {
  const histogram = createHistogram()
  for (const value of values) histogram.record(value)
  return histogram
}

describe('a histogram', () => {
  it('answers every quantile within 5 % of the exact one', () => {
    fc.assert(
      fc.property(latencies, share, (values, q) => {
        const sorted = [...values].sort((a, b) => a - b)
        const exact = sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] ?? Number.NaN
        const estimate = recorded(values).quantile(q) ?? Number.NaN
        expect(Math.abs(estimate - exact) / exact).toBeLessThanOrEqual(0.05)
      }),
    )
  })

  it('counts what it records', () => {
    expect(recorded([1, 2, 3]).count).toBe(3)
  })

  it('answers the least and the greatest for the shares 0 and 1', () => {
    const histogram = recorded([100, 200, 300])
    expect(histogram.quantile(0)).toBe(recorded([100]).quantile(1))
    expect(histogram.quantile(1)).toBe(recorded([300]).quantile(1))
  })

  it('has no quantile while it is empty', () => {
    expect(createHistogram().quantile(0.5)).toBeUndefined()
  })

  it.each([
    ['nothing', 0, 0.01],
    ['a negative time', -5, 0.01],
    ['no number', Number.NaN, 0.01],
    ['a microsecond', 0.001, 0.01],
  ])('counts %s as the shortest time', (_what, ms, expected) => {
    expect(recorded([ms]).quantile(1)).toBe(expected)
  })

  it.each([
    ['a week', 7 * 86_400_000],
    ['for ever', Number.POSITIVE_INFINITY],
  ])('counts %s as a day', (_what, ms) => {
    const estimate = recorded([ms]).quantile(0.5) ?? Number.NaN
    expect(Math.abs(estimate - 86_400_000) / 86_400_000).toBeLessThanOrEqual(0.05)
  })
})
