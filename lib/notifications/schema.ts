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

/** A notification as it is announced. Its id derives from its subject: announced twice, it is stored once. */
export const AnnouncementSchema = NotificationSchema.omit({ read: true }).extend({
  id: z.string().min(1).max(200),
})
export type Announcement = z.output<typeof AnnouncementSchema>

/** The notice by which a domain has people notified. */
export const AnnounceSchema = z.object({
  kind: z.literal('announce'),
  notification: AnnouncementSchema,
  /** The group of the failure that it announces. */
  fingerprint: z.string().max(100).exactOptional(),
})
export type Announce = z.output<typeof AnnounceSchema>
