import { boundedWaitMs, durationIn, numberIn, retryAfterMs, waitIn } from '../../core/retry-after.ts'

type Headers = Readonly<Record<string, string>>

/** An error answer of a provider; `said` is its message, `body` the whole text. Names of headers are in lower case. */
type Refusal = { status: number; headers?: Headers | undefined; body?: string | undefined; said: string }

/**
 * How long a provider asks to be left alone, in milliseconds up to a day; undefined when it does not say. In this order:
 * `retry-after-ms`, `retry-after`, the delay in the body, and the resets of its rate limits, which a router of models hands
 * on in the body. The message of an answer about a rate limit is read last: an error event in a stream has no headers.
 */
export const askedWaitMs = (refusal: Refusal, nowMs: number): number | undefined => {
  const { status, headers = {}, body = '', said } = refusal
  return (
    boundedWaitMs(numberIn(headers['retry-after-ms'])) ??
    retryAfterMs(headers['retry-after'], nowMs) ??
    delayInBody(body, nowMs) ??
    boundedWaitMs(untilReset({ ...limitsInBody(body), ...headers }, status === 429, nowMs)) ??
    (status === 429 ? boundedWaitMs(delayInText(said)) : undefined)
  )
}

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
  const waits = meant.map(([, value]) => waitIn(value, nowMs)).filter((ms) => ms >= 0)
  return waits.length === 0 ? undefined : Math.max(...waits)
}

/** `"retryDelay": "34s"` of https://cloud.google.com/apis/design/errors#error_details, `"retry_after_seconds": 34`. */
const DELAY = /"(?:retryDelay|retry[_-]?after(?:_seconds|(_ms))?)"\s*:\s*"?(\d[\d.]{0,19})s?["\s,}]/i
const delayInBody = (body: string, nowMs: number): number | undefined => {
  const [, isMs, count] = DELAY.exec(body) ?? []
  return boundedWaitMs(isMs ? numberIn(count) : waitIn(count ?? '', nowMs))
}

const LIMIT = /"([\w-]{0,40}ratelimit[\w-]{0,40})"\s*:\s*"?([^",}]{1,64})/gi
const limitsInBody = (body: string): Headers =>
  Object.fromEntries(
    [...body.matchAll(LIMIT)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  )

/** "Please try again in 1m12.5s", "Please retry after 20 seconds". */
const IN_TEXT = /\b(?:try again|retry) (?:in|after) ([\d.]{1,20}) ?(milli)?((?:ms|s|m|h)[\dmsh.]{0,40})?/i
const delayInText = (said: string): number | undefined => {
  const [, count, milli, rest] = IN_TEXT.exec(said) ?? []
  if (count === undefined || (!milli && !rest)) return undefined
  return durationIn(milli ? `${count}ms` : `${count}${rest}`.replace(/\.$/, ''))
}
