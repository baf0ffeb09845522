import { describe, expect, it } from '@jest/globals'
import { excerpt } from '../../lib/adapters/models/failures.ts'
import { retryDelayMs } from '../../lib/adapters/models/retry.ts'
import { Problem } from '../../lib/core/errors.ts'

describe('an excerpt of foreign text', () => {
  it.each([
    ['Bad key s3cret-one!', 'Bad key [redacted]!'],
    ['Incorrect API key provided: sk-proj-abc***xyz.', 'Incorrect API key provided: [redacted].'],
    [
      `No AIza${'x'.repeat(35)}, gsk_abcdefgh, fw_abcdefgh or csk-abcdefgh`,
      'No [redacted], [redacted], [redacted] or [redacted]',
    ],
    ['authorization: Bearer abcdefghijkl', 'authorization: [redacted]'],
    ['two\r\nlines\u0000and\u2028\tmore ', 'two lines and more'],
    ['task-123456789 asked for risk-assessment', 'task-123456789 asked for risk-assessment'],
  ])('of %j is %j', (text, expected) => {
    expect(excerpt(text, ['s3cret-one'])).toBe(expected)
  })

  it('is short', () => {
    expect(excerpt('x'.repeat(5_000), [])).toHaveLength(200)
  })
})

describe('the wait before another try', () => {
  const fault = (reason: string, asked = {}) =>
    new Problem('unavailable', 'provider_error', 'x', { details: { reason }, ...asked })
  it.each([
    [fault('transport'), 1, 250],
    [fault('server'), 2, 500],
    [fault('server', { retryAfterMs: 2_000 }), 1, 2_000],
    [fault('server', { retryAfterMs: 0 }), 1, 250],
    [fault('server', { retryAfterMs: 20_000 }), 1, undefined],
    [fault('timeout'), 1, undefined],
    [fault('refused'), 1, undefined],
    [fault('nonsense'), 1, undefined],
    [new Problem('rate_limited', 'rate_limited', 'x'), 1, 500],
    [new Problem('rate_limited', 'rate_limited', 'x', { retryAfterMs: 5_000 }), 1, 5_000],
    [new Problem('rate_limited', 'rate_limited', 'x', { retryAfterMs: 5_001 }), 1, undefined],
    [new Error('x'), 1, undefined],
  ])('after %s, try %i, is %s ms', (thrown, attempt, expected) => {
    expect(retryDelayMs(thrown, attempt)).toBe(expected)
  })
})
