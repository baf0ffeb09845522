import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { NotificationSchema } from './schema.ts'

export const notificationRoutes = defineRoutes({
  listNotifications: {
    method: 'GET',
    path: '/api/notifications',
    summary: 'List notifications',
    about:
      'Returns notifications of the installation, such as failed tasks, newest first, with the number that you have not read.',
    access: 'session',
    query: PageQuery,
    response: z.object({ notifications: z.array(NotificationSchema), unread: z.number(), ...pageAnswer }),
  },
  readAllNotifications: {
    method: 'POST',
    path: '/api/notifications/read-all',
    summary: 'Mark all notifications as read',
    about: 'Applies only to you.',
    access: 'session',
    response: z.object({ message: z.string(), unread: z.number() }),
  },
  readNotification: {
    method: 'POST',
    path: '/api/notifications/{id}/read',
    summary: 'Mark a notification as read',
    about: 'Applies only to you.',
    access: 'session',
    params: idParams('ntf'),
    response: z.object({ message: z.string(), notification: NotificationSchema }),
  },
})
