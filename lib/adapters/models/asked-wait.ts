import { cutText } from '../../core/cut-text.ts'
import { boundedWaitMs, durationIn, numberIn, retryAfterMs, waitIn } from '../../core/retry-after.ts'

type Headers = Readonly<Record<string, string>>

/** An error answer of a provider; `said` is its message, `body` the whole text. Names of headers are in lower case. */
type Refusal = { status: number; headers?: Headers | undefined; body?: string | undefined; said: string }

/**
 * How long a provider asks to be left alone, in milliseconds up to a day; undefined when it does not say. In this order:
 * `retry-after-ms`, which Azure also names `x-ms-retry-after-ms`, `retry-after`, the delay in the body, and the resets of its
 * rate limits, which a router of models hands on in the body. The message of an answer about a rate limit or overload is read last: an error event in a
 * stream has no headers.
 */
export const askedWaitMs = (refusal: Refusal, nowMs: number): number | undefined => {
  const { status, headers = {}, body = '', said } = refusal
  return (
    boundedWaitMs(numberIn(headers['retry-after-ms'])) ??
    boundedWaitMs(numberIn(headers['x-ms-retry-after-ms'])) ??
    retryAfterMs(headers['retry-after'], nowMs) ??
    delayInBody(body, nowMs) ??
    boundedWaitMs(untilReset({ ...limitsInBody(body), ...headers }, status === 429, nowMs)) ??
    (SAYS_WHEN.has(status) ? boundedWaitMs(delayInText(said)) : undefined)
  )
}

const SAYS_WHEN: ReadonlySet<number> = new Set([429, 503, 529])

// The anthropic-ratelimit-…-reset of Anthropic, the x-ratelimit-reset-… of OpenAI, and those of others.
const isReset = (name: string): boolean => /rate-?limit/.test(name) && name.includes('-reset')

/** A rate limit: what is left of it, and the milliseconds until its reset; NaN for what is unknown. */
type Limit = { remaining: number; resetMs: number }

const limitsInHeaders = (headers: Headers, nowMs: number): Limit[] =>
  Object.entries(headers)
    .filter(([name]) => isReset(name))
    .map(([name, value]) => ({
      remaining: numberIn(headers[name.replace('-reset', '-remaining')]),
      resetMs: waitIn(value, nowMs),
    }))

/** The limits in a header `RateLimit`: `"default";r=0;t=40` for each, or `limit=100, remaining=0, reset=40` (draft, version 07). */
const limitsInRateLimit = (header = ''): Limit[] => {
  const unquoted = cutText(header, LONGEST_RATE_LIMIT).replace(/"(?:[^"\\]|\\.)*"/g, '')
  const items = /;\s*t=/.test(unquoted) ? unquoted.split(',') : [unquoted]
  return items.map((item) => ({
    remaining: numberIn(/\b(?:r|remaining)=(\d+)/.exec(item)?.[1]),
    resetMs: numberIn(/\b(?:t|reset)=(\d+)/.exec(item)?.[1]) * 1_000,
  }))
}
const LONGEST_RATE_LIMIT = 1_024

/**
 * The latest reset of the limits that are used up. When an answer about a rate limit has none that is marked so, the
 * request asked for more than the rest of one of them: any may be meant.
 */
const untilReset = (headers: Headers, isRateLimit: boolean, nowMs: number): number | undefined => {
  const limits = [...limitsInHeaders(headers, nowMs), ...limitsInRateLimit(headers.ratelimit)]
  const usedUp = limits.filter(({ remaining }) => remaining === 0)
  const meant = usedUp.length === 0 && isRateLimit ? limits : usedUp
  const waits = meant.map(({ resetMs }) => resetMs).filter((ms) => ms >= 0)
  return waits.length === 0 ? undefined : Math.max(...waits)
}

/**
 * `"retryDelay": "34s"` of https://cloud.google.com/apis/design/errors#error_details, `"retry_after_seconds": 34`,
 * `"resets_in_seconds": 34` and `"resets_at": 1767225634` of a used-up plan, `"estimated_time": 34` of a model that loads.
 */
const DELAY =
  /"(?:retryDelay|(?:x-ms-)?retry[_-]?after(?:_seconds|([_-]ms))?|resets_(?:in_seconds|at)|estimated_time)"\s*:\s*"?(\d[\d.]{0,19})s?["\s,}]/i
const delayInBody = (body: string, nowMs: number): number | undefined => {
  const [, isMs, count] = DELAY.exec(body) ?? []
  return boundedWaitMs(isMs ? numberIn(count) : waitIn(count ?? '', nowMs))
}

const LIMIT = /"([\w-]{0,40}rate-?limit[\w-]{0,40})"\s*:\s*"?([^",}]{1,64})/gi
const limitsInBody = (body: string): Headers =>
  Object.fromEntries(
    [...body.matchAll(LIMIT)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  )

/** "Please try again in 1m12.5s", "Please retry after 20 seconds", "Please wait 2 days". */
const IN_TEXT =
  /\b(?:(?:try again|retry) (?:in|after)|wait(?: for)?) ([\d.]{1,20}) ?(milli)?((?:ms|s|m|h|d)[\dmsh.]{0,40})?/i
const delayInText = (said: string): number | undefined => {
  const [, count, milli, rest] = IN_TEXT.exec(said) ?? []
  if (count === undefined || (!milli && !rest)) return undefined
  return durationIn(milli ? `${count}ms` : `${count}${rest}`.replace(/\.$/, ''))
}
