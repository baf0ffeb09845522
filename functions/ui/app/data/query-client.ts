import { type Query, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { isConnected } from './connection.ts'
import { isRefusal } from './live.ts'
import { createSignal } from './signal.ts'
import { isCovered, isStreaming } from './streaming.ts'

/** Set by the first 401; the shell then opens the sign-in. */
export const isSignedOut = createSignal(false)

const MOST_TRIES = 2
const LONG_AGO_MS = 60_000

/** Only server errors are retried here. Network failures are retried when the connection returns. */
const tryAgain = (failures: number, error: unknown) =>
  error instanceof ApiError && error.status >= 500 && failures < MOST_TRIES

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) isSignedOut.set(true)
    },
  }),
  defaultOptions: {
    // `navigator.onLine` is wrong for loopback addresses.
    queries: {
      networkMode: 'always',
      retry: tryAgain,
      staleTime: 1_000,
      // A visible tab resumes the event stream. Answers about a period that ends now change without an event.
      refetchOnWindowFocus: ({ queryKey, state }) =>
        !(isStreaming.get() && isCovered(queryKey)) || Date.now() - state.dataUpdatedAt > LONG_AGO_MS,
    },
    mutations: { networkMode: 'always' },
  },
})

/** Refetches everything after a lost connection. */
export const catchUp = () =>
  isConnected.subscribe(() => {
    if (isConnected.get()) void queryClient.invalidateQueries()
  })

/** When the oldest data on the page that could not be refetched was loaded; undefined if all is current. */
export const oldSince = createSignal<number | undefined>(undefined)

const isOld = (query: Query) =>
  query.isActive() &&
  query.state.data !== undefined &&
  query.state.error !== null &&
  !isRefusal(query.state.error)

export const watchQueries = () => {
  const cache = queryClient.getQueryCache()
  const times = () => cache.getAll().flatMap((query) => (isOld(query) ? [query.state.dataUpdatedAt] : []))
  return cache.subscribe(() => {
    const old = times()
    oldSince.set(old.length > 0 ? Math.min(...old) : undefined)
  })
}
