import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { NotificationSchema } from './schema.ts'

export const notificationRoutes = defineRoutes({
  listNotifications: {
    method: 'GET',
    path: '/api/notifications',
    summary: 'List notifications, newest first, with the number of unread ones',
    about: 'Of the installation, such as tasks that failed; what you have read is remembered.',
    access: 'session',
    query: PageQuery,
    response: z.object({ notifications: z.array(NotificationSchema), unread: z.number(), ...pageAnswer }),
  },
  readAllNotifications: {
    method: 'POST',
    path: '/api/notifications/read-all',
    summary: 'Mark all notifications as read',
    about: 'Only yours: other users keep what they have not read.',
    access: 'session',
    response: z.object({ message: z.string(), unread: z.number() }),
  },
  readNotification: {
    method: 'POST',
    path: '/api/notifications/{id}/read',
    summary: 'Mark a notification as read',
    about: 'Only yours: other users keep it unread.',
    access: 'session',
    params: idParams('ntf'),
    response: z.object({ message: z.string(), notification: NotificationSchema }),
  },
})
