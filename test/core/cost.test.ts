import { describe, expect, it } from '@jest/globals'
import { addCost, type Cost, microUsd, pricedCost, UNKNOWN_COST } from '../../lib/core/cost.ts'
import { costText } from '../../lib/core/cost-text.ts'

const stated = (usd: number): Cost => ({ usd, source: 'provider' })

describe('the cost of two parts', () => {
  it.each<[string, Cost | undefined, Cost | undefined, Cost | undefined]>([
    ['none', undefined, undefined, undefined],
    ['one without calls', undefined, stated(2), stated(2)],
    ['without noise of fractions', pricedCost(0.1), pricedCost(0.2), { usd: 0.3, source: 'price' }],
    ['stated and priced', stated(1), pricedCost(2), { usd: 3, source: 'price' }],
    ['known and unknown', stated(1), UNKNOWN_COST, { usd: 1, source: 'unknown' }],
    ['both unknown', UNKNOWN_COST, UNKNOWN_COST, UNKNOWN_COST],
    ['nothing and unknown', stated(0), UNKNOWN_COST, { usd: 0, source: 'unknown' }],
  ])('is their sum, as sure as the less certain one: %s', (_title, a, b, both) => {
    expect(addCost(a, b)).toEqual(both)
    expect(addCost(b, a)).toEqual(both)
  })

  it.each<[Cost, string]>([
    [stated(0), '$0.00'],
    [stated(1234.5), '$1234.50'],
    [stated(0.01), '$0.01'],
    [stated(0.00419), '$0.0042'],
    [stated(0.000001), '<$0.0001'],
    [{ usd: 0.42, source: 'unknown' }, '$0.42+'],
    [UNKNOWN_COST, 'unknown'],
  ])('%j reads as %s', (cost, text) => {
    expect(costText(cost)).toBe(text)
  })

  it('counts in whole millionths, the known part alone', () => {
    expect([stated(0.1234567), UNKNOWN_COST, undefined].map(microUsd)).toEqual([123_457, 0, 0])
  })
})
