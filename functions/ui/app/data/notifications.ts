import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Notification } from '../../../../lib/notifications/schema.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import { useLivePages } from './live-pages.ts'

export type NotificationRow = Notification

/** All notifications, newest first; what marks some as read refreshes these as well as the bell. */
export const useAllNotifications = () =>
  useLivePages(
    ['notifications', 'pages'],
    (query, signal) => client.listNotifications({ query }, { signal }),
    ({ notifications }) => notifications,
  )

const SHOWN = 20
const key = ['notifications'] as const

const newest = queryOptions({
  queryKey: key,
  queryFn: ({ signal }) => client.listNotifications({ query: { limit: SHOWN } }, { signal }),
})

type Type = Awaited<ReturnType<typeof client.listNotifications>>['notifications'][number]['type']

export const unreadLooks: Readonly<Record<Type, string>> = {
  task_failed: 'bg-failed',
  approval_requested: 'bg-queued',
}

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
