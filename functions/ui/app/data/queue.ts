import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

export const useQueueStatus = () =>
  useLive(
    queryOptions({ queryKey: ['queue'], queryFn: ({ signal }) => client.queueStatus({}, { signal }) }),
    EVERY_MS.list,
  )
