import { type DefaultError, type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { serverNow } from './server-clock.ts'
import { isCovered, isStreaming } from './streaming.ts'

/** How often what is seen is asked for again: `running` while something happens, `list` for lists, `calm` for the rest. */
export const EVERY_MS = { running: 1_000, list: 2_500, calm: 10_000 } as const

const TOO_MANY = 429

type Every = number | false
type Interval<T> = Every | ((data: T | undefined) => Every)

/** Whether asking again would be answered with the same: a refusal, but for the one that asks to wait. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== TOO_MANY

/** The pace after an answer: what was refused is not asked for again by itself, a request to wait is followed. */
export const intervalAfter = (error: unknown, every: Every): Every => {
  if (every === false || isRefusal(error)) return false
  if (!(error instanceof ApiError) || error.status !== TOO_MANY) return every
  return Math.max(every, error.retryAfterMs ?? EVERY_MS.calm)
}

/** As `paceAfter`; what the stream of changes covers is not asked for again while it is open. */
export const pollInterval = (key: QueryKey, error: unknown, every: Every): Every =>
  isStreaming.get() && isCovered(key) && error === null ? false : intervalAfter(error, every)

/** The clocks of the browser and of the service differ by less: a request at the very end is answered as the last one was. */
const AFTER_END_MS = 1_000

/** The end of the part of time that `now` is in. */
export const periodEnd = (partMs: number, now: number): number => now - (now % partMs) + partMs

/** As `paceOf`; an answer that is about a time until `end` is asked for again then, since no change says that it is over. */
export const intervalUntil = (pace: Every, error: unknown, end: number | undefined, now: number): Every =>
  pace === false && error === null && end !== undefined ? Math.max(0, end - now) + AFTER_END_MS : pace

/**
 * A query whose answer is kept fresh while its tab can be seen: by the stream of changes, or by asking again. `endOf` is for
 * an answer about a window of time that ends now: it says when the next window begins.
 */
export const useLive = <Data, Key extends QueryKey>(
  options: UseQueryOptions<Data, DefaultError, Data, Key>,
  every: Interval<Data>,
  getPeriodEnd?: (data: Data | undefined, now: number) => number | undefined,
) =>
  useQuery({
    ...options,
    refetchInterval: ({ queryKey, state: { data, error } }) => {
      const now = serverNow()
      const pace = pollInterval(queryKey, error, typeof every === 'function' ? every(data) : every)
      return intervalUntil(pace, error, getPeriodEnd?.(data, now), now)
    },
  })
