import { describe, expect, it } from '@jest/globals'
import { excerpt, hiding, providerError, toProblem } from '../../lib/adapters/models/failures.ts'
import { retryDelayMs } from '../../lib/adapters/models/retry.ts'
import { failedAnswer } from '../../lib/adapters/models/wire-failure.ts'
import { Problem } from '../../lib/core/errors.ts'
import { createMasker } from '../../lib/core/masker.ts'

const scene = { provider: 'openai', name: 'OpenAI', model: 'm', hide: (text: string) => text, now: 0 }

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
    expect(
      excerpt(text, hiding({ apiKey: 's3cret-one', baseUrl: 'http://127.0.0.1' }, createMasker([]))),
    ).toBe(expected)
  })

  it('is short', () => {
    expect(excerpt('x'.repeat(5_000), scene.hide)).toHaveLength(200)
  })
})

describe('the wait before another try', () => {
  it.each([
    [providerError(scene, 'transport', ''), 1, 250],
    [providerError(scene, 'transport', '', { isSilence: true }), 1, undefined],
    [providerError(scene, 'status', '', { status: 503 }), 2, 500],
    [providerError(scene, 'status', '', { status: 503, retryAfterMs: 2_000 }), 1, 2_000],
    [providerError(scene, 'status', '', { status: 503, retryAfterMs: 0 }), 1, 250],
    [providerError(scene, 'status', '', { status: 503, retryAfterMs: 20_000 }), 1, undefined],
    [providerError(scene, 'refused', ''), 1, undefined],
    [providerError(scene, 'unreadable', ''), 1, undefined],
    [providerError(scene, 'too_large', ''), 1, undefined],
    [providerError(scene, 'context_length', '', { status: 400 }), 1, undefined],
    [new Problem('rate_limited', 'rate_limited', 'x'), 1, 500],
    [new Problem('rate_limited', 'rate_limited', 'x', { retryAfterMs: 5_000 }), 1, 5_000],
    [new Problem('rate_limited', 'rate_limited', 'x', { retryAfterMs: 5_001 }), 1, undefined],
    [new Error('x'), 1, undefined],
  ])('after %s, try %i, is %s ms', (thrown, attempt, expected) => {
    expect(retryDelayMs(thrown, attempt)).toBe(expected)
  })
})

describe('an answer 429', () => {
  it.each([
    ['20', 'OpenAI is rate limiting'],
    ['61', 'OpenAI has reached a usage limit'],
  ])('that asks for %s s says: %s', (seconds, message) => {
    expect(toProblem(failedAnswer(429, { 'retry-after': seconds }, ''), scene)).toMatchObject({ message })
  })
})

describe('an error of a library', () => {
  it('is not shown', () => {
    const thrown = new TypeError('Cannot read properties of https://internal.example/v1', {
      cause: new Error('sk-secret'),
    })
    expect(toProblem(thrown, scene)).toMatchObject({
      code: 'provider_error',
      message: 'OpenAI returned an unreadable response',
      details: { reason: 'unreadable' },
    })
  })
})
