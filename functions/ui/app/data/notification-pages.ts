import type { Notification } from '../../../../lib/notifications/schema.ts'
import { client } from './client.ts'
import { useLivePages } from './live-pages.ts'

export type NotificationRow = Notification

/** All notifications, newest first; what marks some as read refreshes these as well as the bell. */
export const useAllNotifications = () =>
  useLivePages(
    ['notifications', 'pages'],
    (query, signal) => client.listNotifications({ query }, { signal }),
    ({ notifications }) => notifications,
  )
