import { cutText } from '../../core/cut-text.ts'
import { boundedWaitMs, waitIn } from '../../core/retry-after.ts'
import { LONGEST_RATE_LIMIT_MS } from '../../core/usage-limit.ts'

/** The words of a plan or account that is used up, with any status: Anthropic answers 400 for a spend limit. */
const USAGE_LIMIT = /\busage[ _-]limits?\b/i
/** How long a used-up account is left alone that does not say when it may be used again. */
const UNSTATED_MS = 900_000
const LONGEST_TEXT = 4_096

/** `Claude AI usage limit reached|1767225634`. */
const PIPED = /\|\s*(\d{10,13})\b/
/** "You will regain access on 2026-01-01 at 00:00 UTC", "resets at 2026-01-01T00:00:00Z". */
const DATED = /\b(\d{4}-\d\d-\d\d)(?:T|,? at | )(\d\d:\d\d(?::\d\d)?)/
/** "Try again in 2 days 3 hours 20 minutes". */
const WORDS =
  /\bin (\d{1,6} (?:second|minute|hour|day)s?(?:,? (?:and )?\d{1,6} (?:second|minute|hour|day)s?){0,3})/i
const UNITS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

const wordedMs = (text: string): number =>
  [...text.matchAll(/(\d+) (second|minute|hour|day)/gi)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * UNITS[unit.toLowerCase() as keyof typeof UNITS],
    0,
  )

const statedMs = (text: string, nowMs: number): number | undefined => {
  const [, piped] = PIPED.exec(text) ?? []
  if (piped !== undefined) return boundedWaitMs(waitIn(piped, nowMs))
  const [, day, time] = DATED.exec(text) ?? []
  if (day !== undefined) return boundedWaitMs(Math.max(0, Date.parse(`${day}T${time}Z`) - nowMs))
  const [, words] = WORDS.exec(text) ?? []
  return words === undefined ? undefined : boundedWaitMs(wordedMs(words))
}

/**
 * How long an account cannot be used whose usage limit an error answer names, in milliseconds up to a day; undefined for
 * any other answer, and for a limit of seconds. `askedMs` is the wait that the answer asks for by headers or fields.
 */
export const usageLimitMs = (
  status: number,
  text: string,
  askedMs: number | undefined,
  nowMs: number,
): number | undefined => {
  const words = cutText(text, LONGEST_TEXT)
  const isNamed = status >= 400 && status < 500 && USAGE_LIMIT.test(words)
  if (!isNamed && status !== 429) return undefined
  const waitMs = isNamed ? (statedMs(words, nowMs) ?? askedMs ?? UNSTATED_MS) : askedMs
  return waitMs !== undefined && waitMs > LONGEST_RATE_LIMIT_MS ? waitMs : undefined
}
