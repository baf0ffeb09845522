import * as z from 'zod'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { NotificationSchema } from './schema.ts'

export const notificationRoutes = defineRoutes({
  listNotifications: {
    method: 'GET',
    path: '/api/notifications',
    summary: 'List notifications, newest first, with how many are unread',
    access: 'session',
    query: PageQuery,
    response: z.object({ notifications: z.array(NotificationSchema), unread: z.number(), ...pageAnswer }),
  },
  readAllNotifications: {
    method: 'POST',
    path: '/api/notifications/read-all',
    summary: 'Mark all notifications as read',
    access: 'session',
    response: z.object({ message: z.string(), unread: z.number() }),
  },
  readNotification: {
    method: 'POST',
    path: '/api/notifications/{id}/read',
    summary: 'Mark a notification as read',
    access: 'session',
    params: z.object({ id: z.string().min(1).max(200) }),
    response: z.object({ message: z.string(), notification: NotificationSchema }),
  },
})
