import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

/** Statistics over all tasks, and of the last thirty days. */
export const useAnalytics = () =>
  useLive(
    queryOptions({ queryKey: ['analytics'], queryFn: ({ signal }) => client.taskAnalytics({}, { signal }) }),
    EVERY_MS.calm,
  )
