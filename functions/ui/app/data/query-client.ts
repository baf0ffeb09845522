import { type Query, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { isConnected } from './connection.ts'
import { isRefusal } from './live.ts'
import { createSignal } from './signal.ts'
import { isCovered, isStreaming } from './streaming.ts'

/** Set by the first answer that asks to sign in; the shell leads there. */
export const isSignedOut = createSignal(false)

const MOST_TRIES = 2
const LONG_AGO_MS = 60_000

/** The service's refusals are final; what never reached it is asked again when the connection is back. */
const tryAgain = (failures: number, error: unknown) =>
  error instanceof ApiError && error.status >= 500 && failures < MOST_TRIES

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) isSignedOut.set(true)
    },
  }),
  defaultOptions: {
    // The browser's own idea of being online is not asked: on a loopback address it is wrong.
    queries: {
      networkMode: 'always',
      retry: tryAgain,
      staleTime: 1_000,
      // A tab that is seen again gets the changes that it has missed. What is about a time until now changes without one.
      refetchOnWindowFocus: ({ queryKey, state }) =>
        !(isStreaming.get() && isCovered(queryKey)) || Date.now() - state.dataUpdatedAt > LONG_AGO_MS,
    },
    mutations: { networkMode: 'always' },
  },
})

/** Catches up: after the connection was lost everything on the page may be old. */
export const catchUp = () =>
  isConnected.subscribe(() => {
    if (isConnected.get()) void queryClient.invalidateQueries()
  })

/** The age of the oldest of what is on the page and could not be loaded anew, as a time; undefined where all is new. */
export const oldSince = createSignal<number | undefined>(undefined)

const isOld = (query: Query) =>
  query.isActive() &&
  query.state.data !== undefined &&
  query.state.error !== null &&
  !isRefusal(query.state.error)

/** Keeps `oldSince` in step with what is on the page. */
export const watchQueries = () => {
  const cache = queryClient.getQueryCache()
  const times = () => cache.getAll().flatMap((query) => (isOld(query) ? [query.state.dataUpdatedAt] : []))
  return cache.subscribe(() => {
    const old = times()
    oldSince.set(old.length > 0 ? Math.min(...old) : undefined)
  })
}
