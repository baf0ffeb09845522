import { describe, expect, it } from '@jest/globals'
import { cronFault, nextRun } from '../../lib/schedules/cron.ts'

const runs = (cron: string, timezone: string, from: string, count: number): string[] => {
  const due: string[] = []
  for (let at: string | undefined = from; due.length < count; ) {
    at = nextRun(cron, timezone, Date.parse(at))
    if (at === undefined) return due
    due.push(at.slice(0, 16))
  }
  return due
}

const VIENNA = 'Europe/Vienna'
const SPRING = '2026-03-28T12:00:00Z'
const AUTUMN = '2026-10-24T12:00:00Z'

describe('the next run', () => {
  // Vienna goes from 02:00 to 03:00 at 01:00Z on 29 March 2026, and from 03:00 to 02:00 at 01:00Z on 25 October.
  const cases: [what: string, cron: string, timezone: string, from: string, due: string[]][] = [
    ['each minute', '* * * * *', 'UTC', '2026-01-01T11:59:59.999Z', ['2026-01-01T12:00', '2026-01-01T12:01']],
    ['a due time is not its own next one', '0 12 * * *', 'UTC', '2026-01-01T12:00:00Z', ['2026-01-02T12:00']],
    [
      'a fixed time in the gap is due once, after it',
      '30 2 * * *',
      VIENNA,
      SPRING,
      ['2026-03-29T01:00', '2026-03-30T00:30'],
    ],
    ['of a list too', '15,30 2 * * *', VIENNA, SPRING, ['2026-03-29T01:00', '2026-03-30T00:15']],
    [
      'each hour, over the gap',
      '0 * * * *',
      VIENNA,
      '2026-03-29T00:00:00Z',
      ['2026-03-29T01:00', '2026-03-29T02:00'],
    ],
    [
      'a fixed time that comes twice is due at the first',
      '30 2 * * *',
      VIENNA,
      AUTUMN,
      ['2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    [
      'each half hour is due at both',
      ...(['*/30 * * * *', VIENNA, '2026-10-24T23:40:00Z'] as const),
      ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30'],
    ],
    [
      'working days',
      '0 9 * * MON-FRI',
      'America/New_York',
      '2026-11-20T15:00:00Z',
      ['2026-11-23T14:00', '2026-11-24T14:00'],
    ],
    ['a leap day', '0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['a nickname', '@daily', 'Asia/Kolkata', '2026-01-01T00:00:00Z', ['2026-01-01T18:30']],
  ]

  it.each(cases)('%s', (_what, cron, timezone, from, due) => {
    expect(runs(cron, timezone, from, due.length)).toEqual(due)
  })
})

describe('a pattern', () => {
  it.each([
    ['* * * * *', undefined],
    ['  5 4 1 JAN ? ', undefined],
    ['0 0 L * *', undefined],
    ['@weekly', undefined],
    ['* * * * * *', 'must have five fields'],
    ['nope', 'must have five fields'],
    ['', 'must have five fields'],
    ['@reboot', 'or be @hourly'],
    ['2026-12-01T00:00:00', 'must have five fields'],
    ['0 0 30 2 *', 'never runs'],
    ['60 * * * *', 'the minute must be 0 to 59'],
    ['0 0 32 * *', 'the day of month must be 1 to 31'],
    ['0 0 1 13 *', 'the month must be 1 to 12'],
    ['0 0 * * 8', 'the day of week must be 0 to 7'],
    ['*/0 * * * *', 'stepping'],
    ['a b c d e', 'the minute must be'],
    ['0 0 * * x', 'the day of week must be'],
  ])('%j: %s', (cron, fault) => {
    if (fault === undefined) expect(cronFault(cron)).toBeUndefined()
    else expect(cronFault(cron)).toContain(fault)
  })
})
