import * as z from 'zod'
import type { Message } from '../core/collection.ts'

/** A notification; `read` is the caller's own state. */
export const NotificationSchema = z.object({
  id: z.string(),
  type: z.enum(['task_failed', 'approval_requested', 'budget_reached', 'runner_missing']),
  title: z.string(),
  message: z.string(),
  taskId: z.string().optional(),
  read: z.boolean().describe('Whether you have read it'),
  createdAt: z.iso.datetime(),
})
export type Notification = z.output<typeof NotificationSchema>

/** An announced notification. Its id derives from its subject, so a repeated announcement is stored once. */
export const AnnouncementSchema = NotificationSchema.omit({ read: true }).extend({
  id: z.string().min(1).max(200),
  /** The user who sees it, beside the admins; all users do where it is absent. */
  audience: z.string().max(200).exactOptional(),
})
export type Announcement = z.output<typeof AnnouncementSchema>

/** The notice with which a domain announces a notification. */
export const AnnounceSchema = z.object({
  kind: z.literal('announce'),
  notification: AnnouncementSchema,
  fingerprint: z.string().max(100).exactOptional(),
})
export type Announce = z.output<typeof AnnounceSchema>

/** The message that announces a notification. Those about a muted group of failures (`fingerprint`) are dropped. */
export const announcement = (
  notification: Announcement,
  group: Pick<Announce, 'fingerprint'> = {},
): Message => ({
  to: 'notices',
  id: notification.id,
  body: { kind: 'announce', notification, ...group } satisfies Announce,
})
