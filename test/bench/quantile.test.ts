import { describe, expect, it } from '@jest/globals'
import { median, quantile } from './quantile.ts'
import { atLeast, atMost } from './row.ts'

describe('a quantile', () => {
  it('is one of the values, by the nearest rank, whatever their order', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i)
    expect([quantile(hundred, 0.5), quantile(hundred, 0.99), quantile(hundred, 1)]).toEqual([50, 99, 100])
    expect(median([9, 1, 5])).toBe(5)
    expect(quantile([7], 0.99)).toBe(7)
  })
})

describe('a target', () => {
  const held = (ours: number) => ({ measure: 'm', unit: '/s', ours, against: 100, opponent: 'peer' })

  it.each([
    ['at least 1.5 times', atLeast(1.5, held(150)), true],
    ['at least 1.5 times, just missed', atLeast(1.5, held(149)), false],
    ['at most 2 times', atMost(2, held(200)), true],
    ['at most 2 times, just missed', atMost(2, held(201)), false],
    ['nothing measured', atMost(2, held(Number.NaN)), false],
  ])('%s is judged by the ratio', (_, row, pass) => {
    expect(row.pass).toBe(pass)
  })
})
