import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

/** How many tasks are in which state, who works on them, and how many dead letters wait. */
export const useQueueStatus = () =>
  useLive(
    queryOptions({ queryKey: ['queue'], queryFn: ({ signal }) => client.queueStatus({}, { signal }) }),
    EVERY_MS.list,
  )
