import { cutText } from '../../core/cut-text.ts'
import { boundedWaitMs, retryAfterMs } from '../../core/retry-after.ts'

type Headers = Readonly<Record<string, string>>

/** An error answer of a provider; `said` is its message, `body` the whole text. Names of headers are in lower case. */
type Refusal = { status: number; headers?: Headers | undefined; body?: unknown; said: string }

/**
 * How long a provider asks to be left alone, in milliseconds up to a day; undefined when it does not say. In this order:
 * `retry-after-ms`, `retry-after`, the delay in the body (Google's RetryInfo), and the resets of its rate limits. The
 * message of an answer about a rate limit is read last: an error event in a stream has no headers.
 */
export const askedWaitMs = (refusal: Refusal, nowMs: number): number | undefined => {
  const { status, headers = {}, body, said } = refusal
  return (
    boundedWaitMs(numberIn(headers['retry-after-ms'])) ??
    retryAfterMs(headers['retry-after'], nowMs) ??
    boundedWaitMs(delayInBody(body)) ??
    boundedWaitMs(untilReset(headers, status === 429, nowMs)) ??
    (status === 429 ? boundedWaitMs(delayInText(said)) : undefined)
  )
}

const numberIn = (text = ''): number => (/^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN)

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const PARTS = /(\d+(?:\.\d+)?)(ms|[smhd])/g

/** The milliseconds of `6m0s`, `1.5s` or `120ms`; NaN for another text. */
const durationIn = (text: string): number =>
  text !== '' && text.replace(PARTS, '') === ''
    ? [...text.matchAll(PARTS)].reduce(
        (sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS],
        0,
      )
    : Number.NaN

// The anthropic-ratelimit-…-reset of Anthropic, the x-ratelimit-reset-… of OpenAI, and those of others.
const isReset = (name: string): boolean => name.includes('ratelimit') && name.includes('-reset')

/**
 * The latest reset of the limits that are used up. When an answer about a rate limit has none that is marked so, the
 * request asked for more than the rest of one of them: any may be meant.
 */
const untilReset = (headers: Headers, isRateLimit: boolean, nowMs: number): number | undefined => {
  const resets = Object.entries(headers).filter(([name]) => isReset(name))
  const remaining = (name: string) => numberIn(headers[name.replace('-reset', '-remaining')])
  const isUsedUp = ([name]: [string, string]) => remaining(name) === 0
  const usedUp = resets.filter(isUsedUp)
  const meant = usedUp.length === 0 && isRateLimit ? resets : usedUp
  const waits = meant.map(([, value]) => resetMs(cutText(value.trim(), 64), nowMs)).filter((ms) => ms >= 0)
  return waits.length === 0 ? undefined : Math.max(...waits)
}

/** A reset is a duration, seconds, a time in seconds or milliseconds since 1970, or a date; NaN for another text. */
const resetMs = (text: string, nowMs: number): number => {
  const count = numberIn(text)
  if (count >= 1e12) return Math.max(0, count - nowMs)
  if (count >= 1e9) return Math.max(0, count * 1_000 - nowMs)
  if (count >= 0) return count * 1_000
  const duration = durationIn(text)
  return Number.isNaN(duration) ? Math.max(0, Date.parse(text) - nowMs) : duration
}

/** https://cloud.google.com/apis/design/errors#error_details, `{"@type": "…RetryInfo", "retryDelay": "34s"}`. */
const RETRY_DELAY = /"retryDelay"\s*:\s*"([\d.]{1,20}s)"/
const delayInBody = (body: unknown): number | undefined =>
  typeof body === 'string' ? durationIn(RETRY_DELAY.exec(body)?.[1] ?? '') : undefined

/** "Please try again in 1m12.5s", "Please retry after 20 seconds". */
const IN_TEXT = /\b(?:try again|retry) (?:in|after) ([\d.]{1,20} ?(?:ms|s|m|h)[\dmsh.]{0,40})/i
const delayInText = (said: string): number | undefined => {
  const [, text] = IN_TEXT.exec(said) ?? []
  return text === undefined ? undefined : durationIn(text.replace(' ', '').replace(/\.$/, ''))
}
