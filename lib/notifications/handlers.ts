import type { Handlers } from '../http/route.ts'
import type { notificationRoutes } from './contract.ts'
import type { Notifications } from './service.ts'

type Needs = { notifications: Notifications }

export const notificationHandlers = ({ notifications }: Needs): Handlers<typeof notificationRoutes> => ({
  listNotifications: ({ query }, { principal }) => notifications.list(principal, query),
  readAllNotifications: async (_input, { principal }) => ({
    message: 'All notifications marked as read',
    unread: await notifications.readAll(principal),
  }),
  readNotification: async ({ params }, { principal }) => ({
    message: 'Notification marked as read',
    notification: await notifications.read(principal, params.id),
  }),
})
