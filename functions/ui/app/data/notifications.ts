import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

const SHOWN = 20
const key = ['notifications'] as const

const newest = queryOptions({
  queryKey: key,
  queryFn: ({ signal }) => client.listNotifications({ query: { limit: SHOWN } }, { signal }),
})

/** The newest notifications, and how many are unread. */
export const useNotifications = () => useLive(newest, EVERY_MS.calm)

export const useReadAll = () => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.readAllNotifications(),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  })
}

export const useRead = () => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => client.readNotification({ params: { id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  })
}
