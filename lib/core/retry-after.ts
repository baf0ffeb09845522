import { cutText } from './cut-text.ts'

/** The longest wait that the service takes from an answer, or asks its callers for: a day. */
export const LONGEST_RETRY_AFTER_MS = 86_400_000

/** A wait that something outside asks for, as whole milliseconds up to a day. Undefined for anything but a number from 0. */
export const boundedWaitMs = (asked: unknown): number | undefined =>
  typeof asked === 'number' && asked >= 0 ? Math.min(Math.ceil(asked), LONGEST_RETRY_AFTER_MS) : undefined

export const numberIn = (text = ''): number =>
  /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const PARTS = /(\d+(?:\.\d+)?)(ms|[smhd])/g

/** The milliseconds of `6m0s`, `1.5s` or `120ms`; NaN for another text. */
export const durationIn = (text: string): number =>
  text !== '' && text.replace(PARTS, '') === ''
    ? [...text.matchAll(PARTS)].reduce(
        (sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS],
        0,
      )
    : Number.NaN

/** Without a time of day `Date.parse` takes `+40` for the year 2040. */
const TIME_OF_DAY = /\d:\d\d/

/** Milliseconds of a wait: seconds, a duration, s or ms since 1970, or a date. 0 for the past, NaN otherwise. */
export const waitIn = (text: string, nowMs: number): number => {
  const value = cutText(text.trim(), 64)
  const count = numberIn(value)
  if (count >= 1e12) return Math.max(0, count - nowMs)
  if (count >= 1e9) return Math.max(0, count * 1_000 - nowMs)
  if (count >= 0) return count * 1_000
  const duration = durationIn(value)
  if (duration >= 0) return duration
  return TIME_OF_DAY.test(value) ? Math.max(0, Date.parse(value) - nowMs) : Number.NaN
}

const NUMBERS = /^[\d., ]+$/

/**
 * Milliseconds to wait by a header `Retry-After` (RFC 9110, section 10.2.3), in the forms that servers send, a day at
 * most. Of several headers the longest counts. Undefined for a missing or malformed one.
 */
export const retryAfterMs = (header: string | null | undefined, nowMs: number): number | undefined => {
  if (header === null || header === undefined) return undefined
  // Node and fetch join repeated headers with commas. A date has a comma of its own.
  const values = NUMBERS.test(header) ? header.split(',') : [header]
  return boundedWaitMs(Math.max(...values.map((value) => waitIn(value, nowMs))))
}

/** The value of a header `Retry-After` to send: whole seconds, from 1 to a day. */
export const retryAfterSeconds = (waitMs: number): string =>
  String(Math.max(1, Math.ceil((boundedWaitMs(waitMs) ?? 0) / 1_000)))
