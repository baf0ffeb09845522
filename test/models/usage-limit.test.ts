import { describe, expect, it } from '@jest/globals'
import { readFailure } from '../../lib/adapters/models/failures.ts'
import { createModels } from '../../lib/adapters/models/models.ts'
import { configuredProviders } from '../../lib/adapters/models/resolve.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { isUsageLimit } from '../../lib/core/usage-limit.ts'
import { answeringFetch, frames } from '../fakes/answering-fetch.ts'
import { createFakeClock } from '../fakes/clock.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const KEY = 'sk-operator-0123456789'
const settings = { providers: { anthropic: { apiKey: KEY } } }
const [anthropic] = configuredProviders(settings).values()

const read = (status: number, headers: Record<string, string>, body: string) => {
  if (anthropic === undefined) throw new Error('Anthropic is not configured')
  const given = { status, headers, body }
  const failure = readFailure(anthropic, given, { now: NOW, masker: createMasker([]) })
  return isUsageLimit(failure) ? { reason: failure.message, retryAfterMs: failure.retryAfterMs } : undefined
}
const error = (message: string, more = {}) => JSON.stringify({ error: { message, ...more } })

describe('the answer of a provider whose account is used up', () => {
  it.each<[what: string, status: number, headers: Record<string, string>, body: string, waitMs: number]>([
    ['retry-after in seconds', 429, { 'retry-after': '3600' }, error('Too many'), HOUR],
    ['just over a minute', 429, { 'retry-after': '61' }, '', 61_000],
    ['retry-after as a date', 429, { 'retry-after': 'Thu, 01 Jan 2026 13:00:00 GMT' }, '', HOUR],
    [
      'a reset of Anthropic',
      429,
      { 'anthropic-ratelimit-unified-reset': String(NOW / 1_000 + 3_600) },
      error('This request would exceed your account’s rate limit'),
      HOUR,
    ],
    [
      'the limit of Anthropic that is used up',
      429,
      {
        'anthropic-ratelimit-requests-remaining': '9',
        'anthropic-ratelimit-requests-reset': '2026-01-01T20:00:00Z',
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '2026-01-01T13:00:00Z',
      },
      '',
      HOUR,
    ],
    [
      'a reset of OpenAI',
      429,
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1h0m0s' },
      '',
      HOUR,
    ],
    [
      'a plan of Codex',
      429,
      {},
      error('The usage limit has been reached', { type: 'usage_limit_reached', resets_in_seconds: 7_200 }),
      2 * HOUR,
    ],
    ['a time after a bar', 429, {}, error(`Claude AI usage limit reached|${NOW / 1_000 + 3_600}`), HOUR],
    [
      'a spend limit, which is 400',
      400,
      {},
      error(
        'You have reached your specified API usage limits. You will regain access on 2026-01-01 at 14:00 UTC.',
      ),
      2 * HOUR,
    ],
    ['words', 403, {}, error("You've hit your usage limit. Try again in 1 hour 20 minutes."), 80 * MINUTE],
    ['no time', 429, {}, error('Usage limit reached'), 15 * MINUTE],
    ['plain text', 429, {}, 'usage limit reached', 15 * MINUTE],
    ['a month', 429, { 'retry-after': '2592000' }, '', 24 * HOUR],
  ])('is a limit with its end: %s', (_what, status, headers, body, waitMs) => {
    expect(read(status, headers, body)).toMatchObject({ retryAfterMs: waitMs })
  })

  it.each<[what: string, status: number, headers: Record<string, string>, body: string]>([
    ['a rate limit of seconds', 429, { 'retry-after': '20' }, error('Slow down')],
    ['a rate limit of a minute', 429, { 'retry-after': '60' }, ''],
    [
      'a rate limit of seconds that speaks of usage limits',
      429,
      { 'retry-after': '20' },
      error('Over your usage limits'),
    ],
    ['a rate limit without a time', 429, {}, error('Slow down')],
    ['an overload', 529, { 'retry-after': '3600' }, error('Overloaded')],
    ['maintenance', 503, { 'retry-after': '3600' }, error('Back at 13:00')],
    ['a fault that speaks of usage limits', 500, {}, error('Usage limit service failed')],
    ['a wrong key', 401, {}, error('Invalid key')],
    ['a bad request', 400, {}, error('max_tokens: too many')],
    ['a time that has passed', 429, { 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, ''],
    ['a limit whose time has passed', 429, {}, error('Usage limit reached|1600000000')],
  ])('is none: %s', (_what, status, headers, body) => {
    expect(read(status, headers, body)).toBeUndefined()
  })

  it('is told without a key that it quotes, and in a line', () => {
    const { reason = '' } = read(429, {}, error(`Usage limit of ${KEY}\nreached${'x'.repeat(9_000)}`)) ?? {}
    expect(reason).toMatch(/^Anthropic has reached a usage limit: Usage limit of \[redacted\] reached/)
    expect(reason.length).toBeLessThan(300)
  })
})

describe('models', () => {
  const asked = async (answer: ReturnType<typeof answeringFetch>) => {
    const seen: unknown[] = []
    const models = createModels({
      settings: { ...settings, retries: 0 },
      clock: createFakeClock(),
      fetch: answer.fetch,
      limits: {
        limited: async (provider, limit) => void seen.push(['limited', provider, limit.retryAfterMs]),
        answered: (provider) => void seen.push(['answered', provider]),
      },
    })
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    try {
      for await (const _ of models.step({ messages, signal: new AbortController().signal })) seen.push('part')
    } catch {
      seen.push('failed')
    }
    return seen
  }

  it('report a usage limit before the caller learns of it', async () => {
    const refusal = answeringFetch(() => ['{}'], { status: 429, headers: { 'retry-after': '3600' } })
    expect(await asked(refusal)).toEqual([['limited', 'anthropic', HOUR], 'failed'])
  })

  it.each([
    ['a rate limit', 429],
    ['a fault', 500],
  ])('report nothing for %s', async (_what, status) => {
    expect(await asked(answeringFetch(() => ['{}'], { status }))).toEqual(['failed'])
  })

  it('report an answer by its first part', async () => {
    const answer = frames(
      { type: 'message_start', message: { model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    )
    const seen = await asked(answeringFetch(() => [answer]))
    expect(seen[0]).toEqual(['answered', 'anthropic'])
    expect(seen.filter((one) => Array.isArray(one))).toHaveLength(1)
  })
})
