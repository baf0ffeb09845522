import type { Notification } from '../../../../lib/notifications/schema.ts'
import { useChange } from './change.ts'
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

type Type = Awaited<ReturnType<typeof client.listNotifications>>['notifications'][number]['type']

export const unreadLooks: Readonly<Record<Type, string>> = {
  task_failed: 'bg-failed',
  approval_requested: 'bg-queued',
  budget_reached: 'bg-queued',
  runner_missing: 'bg-queued',
}

export const useNotifications = () =>
  useLive(key, (signal) => client.listNotifications({ query: { limit: SHOWN } }, { signal }), EVERY_MS.calm)

export const useReadAll = () => useChange(() => client.readAllNotifications(), key)

export const useRead = () => useChange((id: string) => client.readNotification({ params: { id } }), key)
