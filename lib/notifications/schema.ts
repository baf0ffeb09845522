import * as z from 'zod'

/** Something that a person should know of; `read` is theirs alone. */
export const NotificationSchema = z.object({
  id: z.string(),
  type: z.enum(['task_failed']),
  title: z.string(),
  message: z.string(),
  taskId: z.string().optional(),
  read: z.boolean(),
  createdAt: z.iso.datetime(),
})
export type Notification = z.output<typeof NotificationSchema>

/** What the notification queue carries: an announcement that was stored and is to be delivered. */
export const AnnounceSchema = z.object({ announcementId: z.string().min(1).max(200) })
export type Announce = z.output<typeof AnnounceSchema>
