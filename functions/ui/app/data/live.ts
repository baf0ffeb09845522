import { type DefaultError, type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { isCovered, isStreaming } from './streaming.ts'

/** How often what is seen is asked for again: `running` while something happens, `list` for lists, `calm` for the rest. */
export const EVERY_MS = { running: 1_000, list: 2_500, calm: 10_000 } as const

const TOO_MANY = 429

type Every = number | false
type Pace<T> = Every | ((data: T | undefined) => Every)

/** Whether asking again would be answered with the same: a refusal, but for the one that asks to wait. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== TOO_MANY

/** The pace after an answer: what was refused is not asked for again by itself, and who is told to wait waits. */
export const paceAfter = (error: unknown, every: Every): Every => {
  if (every === false || isRefusal(error)) return false
  if (!(error instanceof ApiError) || error.status !== TOO_MANY) return every
  return Math.max(every, error.retryAfterMs ?? EVERY_MS.calm)
}

/** As `paceAfter`; what the stream of changes covers is not asked for again while it is open. */
export const paceOf = (key: QueryKey, error: unknown, every: Every): Every =>
  isStreaming.get() && isCovered(key) && error === null ? false : paceAfter(error, every)

/**
 * A query whose answer is kept fresh while its tab can be seen: by the stream of changes, or by asking again.
 */
export const useLive = <Data, Key extends QueryKey>(
  options: UseQueryOptions<Data, DefaultError, Data, Key>,
  every: Pace<Data>,
) =>
  useQuery({
    ...options,
    refetchInterval: ({ queryKey, state }) =>
      paceOf(queryKey, state.error, typeof every === 'function' ? every(state.data) : every),
  })
