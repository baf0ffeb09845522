import { describe, expect, it } from '@jest/globals'
import { askedWaitMs } from '../../lib/adapters/models/asked-wait.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const DAY = 86_400_000
const secondsText = (ms: number) => String(ms / 1_000)

type Headers = Record<string, string>

describe('the wait that the answer of a provider asks for', () => {
  it.each<[what: string, status: number, headers: Headers, waitMs: number | undefined]>([
    ['seconds', 429, { 'retry-after': '20' }, 20_000],
    ['fractions of seconds', 503, { 'retry-after': '0.5' }, 500],
    ['a date', 529, { 'retry-after': 'Thu, 01 Jan 2026 12:00:20 GMT' }, 20_000],
    ['a date that has passed', 503, { 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
    ['milliseconds before seconds', 429, { 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    ['no number of milliseconds', 429, { 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
    ['Azure: milliseconds', 429, { 'x-ms-retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    ['a month', 503, { 'retry-after': '2592000' }, DAY],
    ['more seconds than a number holds', 503, { 'retry-after': '9'.repeat(400) }, DAY],
    ['a date in 9999', 429, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, DAY],
    ['a negative number', 429, { 'retry-after': '-20' }, undefined],
    ['an empty text', 429, { 'retry-after': '' }, undefined],
    ['Anthropic: a date', 429, { 'anthropic-ratelimit-requests-reset': '2026-01-01T12:00:30Z' }, 30_000],
    [
      'the limit that is used up, not the other',
      429,
      {
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': '2026-01-01T12:10:00Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-01-01T12:00:30Z',
      },
      30_000,
    ],
    [
      'the later of two that are used up',
      429,
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      360_000,
    ],
    [
      'the later one where none is used up: the request was larger than the rest',
      429,
      {
        'x-ratelimit-remaining-requests': '5',
        'x-ratelimit-reset-requests': '120ms',
        'x-ratelimit-remaining-tokens': '12',
        'x-ratelimit-reset-tokens': '1m12.5s',
      },
      72_500,
    ],
    [
      'Retry-After before resets',
      429,
      { 'retry-after': '2', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '900' },
      2_000,
    ],
    ['a reset in seconds', 429, { 'x-ratelimit-reset': '33' }, 33_000],
    ['a reset since 1970', 429, { 'x-ratelimit-reset': secondsText(NOW + 45_000) }, 45_000],
    ['the same in milliseconds', 429, { 'x-ratelimit-reset': String(NOW + 45_000) }, 45_000],
    ['a reset that has passed', 429, { 'x-ratelimit-reset': secondsText(NOW - 45_000) }, 0],
    ['hours and days', 429, { 'x-ratelimit-reset-requests': '1h30m' }, 5_400_000],
    ['a reset in ten days', 429, { 'x-ratelimit-reset-requests': '10d' }, DAY],
    ['a reset without sense', 429, { 'x-ratelimit-reset-requests': 'later' }, undefined],
    [
      'limits with room, while overloaded',
      529,
      { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '60' },
      undefined,
    ],
    [
      'a limit that is used up, while overloaded',
      503,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' },
      60_000,
    ],
    ['RateLimit: the reset of its limit', 429, { ratelimit: '"default";r=0;t=40' }, 40_000],
    ['RateLimit: parameters in any order', 429, { ratelimit: '"default"; t=40; r=0' }, 40_000],
    ['RateLimit: without a rest', 429, { ratelimit: 'default;t=40' }, 40_000],
    ['RateLimit: a name that looks like parameters', 429, { ratelimit: '"a;t=9,\\";t=8";r=0;t=40' }, 40_000],
    [
      'RateLimit: the limit that is used up, not the other',
      429,
      { ratelimit: '"day";r=9;t=3600, "burst";r=0;t=40' },
      40_000,
    ],
    ['RateLimit: the later of two that are used up', 503, { ratelimit: '"a";r=0;t=4,"b";r=0;t=40' }, 40_000],
    ['RateLimit: with room, while overloaded', 503, { ratelimit: '"default";r=9;t=40' }, undefined],
    ['RateLimit: of version 07', 429, { ratelimit: 'limit=100, remaining=0, reset=40' }, 40_000],
    ['RateLimit: without a time', 429, { ratelimit: '"default";r=0' }, undefined],
    ['RateLimit: a month', 429, { ratelimit: '"default";r=0;t=2592000' }, DAY],
    ['Retry-After before RateLimit', 429, { 'retry-after': '2', ratelimit: '"default";r=0;t=40' }, 2_000],
    ['a name with two hyphens', 429, { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '40' }, 40_000],
    ['RateLimit-Reset', 429, { 'ratelimit-remaining': '0', 'ratelimit-reset': '40' }, 40_000],
    ['nothing', 429, {}, undefined],
  ])('%s', (_, status, headers, waitMs) => {
    expect(askedWaitMs({ status, headers, said: '' }, NOW)).toBe(waitMs)
  })

  it.each<[what: string, status: number, body: string, said: string, waitMs: number | undefined]>([
    ['of Google', 429, '{"error":{"details":[{"@type":"…RetryInfo","retryDelay":"34.07s"}]}}', '', 34_070],
    ['of Google, without a number', 429, '{"error":{"details":[{"retryDelay":"s"}]}}', '', undefined],
    ['of a field', 429, '{"error":{"message":"slow","retry_after":34}}', '', 34_000],
    ['of a field in seconds', 429, '{"metadata":{"retry_after_seconds":"34"}}', '', 34_000],
    ['of a field in milliseconds', 503, '{"error":{"retry_after_ms": 3400 }}', '', 3_400],
    ['of a header with milliseconds', 429, '{"headers":{"x-ms-retry-after-ms":"3400"}}', '', 3_400],
    ['of a field that is no number', 429, '{"error":{"retry_after":"soon"}}', '', undefined],
    [
      'of a router that hands on headers',
      429,
      `{"error":{"metadata":{"headers":{"X-RateLimit-Remaining":"0","X-RateLimit-Reset":"${NOW + 45_000}"}}}}`,
      '',
      45_000,
    ],
    ['in words', 429, '', 'Rate limit reached. Please try again in 1m12.5s. Visit …', 72_500],
    ['in milliseconds', 429, '', 'try again in 120ms', 120],
    ['in written milliseconds', 429, '', 'try again in 20 milliseconds', 20],
    ['in minutes', 429, '', 'try again in 2 minutes', 120_000],
    ['in longer words', 429, '', 'Please retry after 20 seconds.', 20_000],
    ['in days', 429, '', 'You may try again in 2 days.', DAY],
    ['as a time to wait', 429, '', 'Too many requests, please wait for 30 seconds', 30_000],
    ['of an overload', 503, '', 'Overloaded, try again in 30s', 30_000],
    [
      'of a used-up plan',
      429,
      '{"error":{"type":"usage_limit_reached","resets_in_seconds":340}}',
      '',
      340_000,
    ],
    [
      'of a used-up plan, since 1970',
      429,
      `{"error":{"resets_at":${secondsText(NOW + 45_000)}}}`,
      '',
      45_000,
    ],
    ['of a model that loads', 503, '{"error":"Model is loading","estimated_time":20.5}', '', 20_500],
    ['not of a limit', 500, '', 'Please try again in 5m', undefined],
    ['of no time', 429, '', 'Please try again in a while', undefined],
  ])('in the text %s', (_, status, body, said, waitMs) => {
    expect(askedWaitMs({ status, body, said }, NOW)).toBe(waitMs)
  })

  it('is found in 100 kB of digits and units within the time of a test', () => {
    const said = `try again in ${'1m'.repeat(50_000)}`
    expect(
      askedWaitMs(
        {
          status: 429,
          headers: { 'x-ratelimit-reset': said, ratelimit: `"${'\\"'.repeat(50_000)}` },
          body: said,
          said,
        },
        NOW,
      ),
    ).toEqual(expect.any(Number))
  })
})
