import { collection } from '../core/collection.ts'
import { type Notification, NotificationSchema } from './schema.ts'

type Expiring = { expiresAt: number }

/** Something to tell, stored in the write that makes it true; gone once it has been told. */
export type Announcement = Omit<Notification, 'read'>
const FIELDS = NotificationSchema.omit({ read: true }).keyof().options

export const announcements = collection<Announcement>({
  name: 'announcements',
  key: 'id',
  indexes: { oldest: { by: 'createdAt' } },
  summary: FIELDS,
})

export type NotificationRow = Announcement & Expiring
export const notifications = collection<NotificationRow>({
  name: 'notifications',
  key: 'id',
  indexes: { newest: { by: 'createdAt' } },
  summary: FIELDS,
  expires: 'expiresAt',
})

/** One notification that one user has read; its creation time is kept to count against the user's mark. */
export type ReadRow = { userId: string; notificationId: string; createdAt: string } & Expiring
export const reads = collection<ReadRow>({
  name: 'notificationReads',
  within: 'userId',
  key: 'notificationId',
  indexes: { ofUser: { within: 'userId', by: 'createdAt' } },
  expires: 'expiresAt',
})

/** Everything created up to `readUntil` counts as read by the user. */
export type ReadMark = { userId: string; readUntil: string }
export const readMarks = collection<ReadMark>({ name: 'notificationMarks', key: 'userId', indexes: {} })
