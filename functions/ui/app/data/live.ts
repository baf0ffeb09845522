import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { serverNow } from './server-clock.ts'
import { isCovered, isStreaming } from './streaming.ts'

/** Poll intervals. */
export const EVERY_MS = { running: 1_000, list: 2_500, calm: 10_000 } as const

const TOO_MANY = 429

type Every = number | false
type Interval<T> = Every | ((data: T | undefined) => Every)

/** Client errors other than 429 would repeat. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== TOO_MANY

/** Refused requests are not repeated; a 429 is repeated after its `Retry-After`. */
export const intervalAfter = (error: unknown, every: Every): Every => {
  if (every === false || isRefusal(error)) return false
  if (!(error instanceof ApiError) || error.status !== TOO_MANY) return every
  return Math.max(every, error.retryAfterMs ?? EVERY_MS.calm)
}

/** As `intervalAfter`; queries that the open event stream covers are not polled. */
export const pollInterval = (key: QueryKey, error: unknown, every: Every): Every =>
  isStreaming.get() && isCovered(key) && error === null ? false : intervalAfter(error, every)

/** Margin for clock differences at the end of a period. */
const AFTER_END_MS = 1_000

export const periodEnd = (partMs: number, now: number): number => now - (now % partMs) + partMs

/** Also refetches when the period of the answer ends, which no event reports. */
export const intervalUntil = (pace: Every, error: unknown, end: number | undefined, now: number): Every =>
  pace === false && error === null && end !== undefined ? Math.max(0, end - now) + AFTER_END_MS : pace

type LiveOptions<Data> = Pick<UseQueryOptions<Data>, 'enabled' | 'gcTime' | 'staleTime'> & {
  /** For answers about a period that ends now. */
  getPeriodEnd?: (data: Data | undefined, now: number) => number | undefined
}

/** A query that the event stream or polling keeps fresh while its tab is visible. */
export const useLive = <Data>(
  queryKey: QueryKey,
  read: (signal: AbortSignal) => Promise<Data>,
  every: Interval<Data>,
  { getPeriodEnd, ...options }: LiveOptions<Data> = {},
) =>
  useQuery({
    ...options,
    queryKey,
    queryFn: ({ signal }) => read(signal),
    refetchInterval: ({ state: { data, error } }) => {
      const now = serverNow()
      const pace = pollInterval(queryKey, error, typeof every === 'function' ? every(data) : every)
      return intervalUntil(pace, error, getPeriodEnd?.(data, now), now)
    },
  })
