import { type DefaultError, type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'

/** How often what is seen is asked for again: `running` while something happens, `list` for lists, `calm` for the rest. */
export const EVERY_MS = { running: 1_000, list: 2_500, calm: 10_000 } as const

type Pace<T> = number | false | ((data: T | undefined) => number | false)

/**
 * A query whose answer is kept fresh while its tab can be seen. All that is live goes through here, for a stream of
 * changes to take the place of asking.
 */
export const useLive = <Data, Key extends QueryKey>(
  options: UseQueryOptions<Data, DefaultError, Data, Key>,
  every: Pace<Data>,
) =>
  useQuery({
    ...options,
    refetchInterval: ({ state }) => (typeof every === 'function' ? every(state.data) : every),
  })
