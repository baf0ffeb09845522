import { describe, expect, it } from '@jest/globals'
import { billedMs, gbSeconds } from './lambda-time.ts'
import { billed } from './prices.ts'

describe('what Lambda bills', () => {
  it.each([
    ['is rounded up to a millisecond', { ms: 3.2, cpuMs: 0, trips: 0 }, 1_769, 4],
    ['takes longer where memory buys half a processor', { ms: 10, cpuMs: 8, trips: 0 }, 884.5, 18],
    ['takes no shorter where it buys more than one', { ms: 10, cpuMs: 8, trips: 0 }, 2_048, 10],
    ['waits longer for each answer', { ms: 10, cpuMs: 8, trips: 3 }, 2_048, 25],
  ])('%s', (_, spent, memoryMb, ms) => {
    expect(billedMs(spent, { memoryMb, tripMs: 5 })).toBe(ms)
  })

  it('is time by memory', () => {
    expect(gbSeconds(1_500, 2_048)).toBe(3)
  })
})

describe('a bill', () => {
  it('has a line for each amount, and their sum', () => {
    const { lines, dollars } = billed({ dashboards: 1, alarmMetrics: 29 })
    expect(lines).toEqual([
      '    $3.0000  1 dashboards (CloudWatch)',
      '    $2.9000  29 metrics with alarms (CloudWatch)',
    ])
    expect(dollars).toBeCloseTo(5.9)
  })
})
