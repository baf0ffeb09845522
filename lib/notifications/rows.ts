import { collection, DEFAULT_MEMBER } from '../core/collection.ts'
import { type Announcement, AnnouncementSchema } from './schema.ts'

type Expiring = { expiresAt: number }

/** `total` counts present notifications, `created` all ever made; `addressed` those of one user and the admins. */
export const NOTIFICATION_COUNTERS = {
  counter: 'notifications',
  member: DEFAULT_MEMBER,
  addressed: 'addressed',
} as const
export const addressedCounter = (userId: string): string => `notifications.to:${userId}`

const audienceCounters = ({ audience }: Announcement) => {
  const { counter, member, addressed } = NOTIFICATION_COUNTERS
  if (audience === undefined) return [{ counter, member }]
  return [
    { counter, member: addressed },
    { counter: addressedCounter(audience), member },
  ]
}

export type NotificationRow = Announcement & Expiring
export const notifications = collection<NotificationRow>({
  name: 'notifications',
  key: 'id',
  indexes: { newest: { by: 'createdAt' } },
  summary: AnnouncementSchema.keyof().options,
  expires: 'expiresAt',
  counts: ({ before, after }) => {
    const row = after ?? before
    if (row === undefined || (before && after)) return []
    const add = after ? { total: 1, created: 1 } : { total: -1 }
    return audienceCounters(row).map((of) => ({ ...of, add }))
  },
  recount: {
    index: 'newest',
    counter: NOTIFICATION_COUNTERS.counter,
    ofUser: addressedCounter,
    isCounted: (name) => name === 'total',
  },
  publishes: ({ before, after }) => {
    if (before !== undefined || after === undefined) return []
    const { expiresAt: _, audience, ...data } = after
    // Users who may not see it get its id only.
    return [{ type: 'notification.created', data: audience === undefined ? data : { id: data.id } }]
  },
})

/** Notifications that a user read one by one, with a member for each mark: a new mark starts at 0. */
export const readCounter = (userId: string): string => `notifications.read:${userId}`
export const readMember = (readUntil: string | undefined): string => `since:${readUntil ?? ''}`

/**
 * A notification that a user read while the mark was `since`. Both expire together; `createdAt` finds rows of a page.
 */
export type ReadRow = { userId: string; notificationId: string; createdAt: string; since?: string } & Expiring
export const reads = collection<ReadRow>({
  name: 'notificationReads',
  within: 'userId',
  key: 'notificationId',
  indexes: { ofUser: { within: 'userId', by: 'createdAt' } },
  expires: 'expiresAt',
  counts: ({ before, after }) => {
    const row = after ?? before
    const change = Number(after !== undefined) - Number(before !== undefined)
    if (row === undefined || change === 0) return []
    return [{ counter: readCounter(row.userId), member: readMember(row.since), add: { count: change } }]
  },
  publishes: ({ before, after }) => {
    if (before !== undefined || after === undefined) return []
    const { notificationId, userId } = after
    return [{ type: 'notification.updated', data: { id: notificationId, read: true }, audience: userId }]
  },
})

/** All created up to `readUntil` are read by the user; `createdUntil` is how many had been created by then. */
export type ReadMark = { userId: string; readUntil: string; createdUntil: number }
export const readMarks = collection<ReadMark>({ name: 'notificationMarks', key: 'userId', indexes: {} })
