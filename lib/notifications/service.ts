import type * as z from 'zod'
import { missing } from '../core/errors.ts'
import { pageFacts, rangeOf } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import type { Store, Test } from '../ports/store.ts'
import type { ListNotificationsQuery } from './contract.ts'
import { type NotificationRow, notifications, type ReadRow, readMarks, reads } from './rows.ts'
import type { Notification } from './schema.ts'

const SCOPE = 'notifications'
const NEVER = ''
/** More than a page has, should several have been made in the millisecond at its edge. */
const MOST_READS = 1_000

export type Notifications = ReturnType<typeof createNotifications>

/** Notifications with the read state of whoever asks. */
export const createNotifications = ({ store }: { store: Store }) => {
  const markOf = async (userId: string) => (await store.get(readMarks, userId))?.readUntil ?? NEVER

  /** Counted, not tallied: the unread ones are those since a person last looked, so they are few. */
  const unreadOf = async (userId: string, mark: string) => {
    const since = <R extends NotificationRow | ReadRow>(): Test<R>[] => [
      { field: 'createdAt' as never, from: after(mark) },
    ]
    const [all, seen] = await Promise.all([
      store.count(notifications, { index: 'newest', where: since<NotificationRow>() }),
      store.count(reads, { index: 'ofUser', is: userId, where: since<ReadRow>() }),
    ])
    return Math.max(0, all - seen)
  }

  /** Which of some notifications, newest first, the user has read one by one. */
  const readAmong = async (
    userId: string,
    rows: readonly NotificationRow[],
  ): Promise<ReadonlySet<string>> => {
    const [newest, oldest] = [rows[0], rows.at(-1)]
    if (newest === undefined || oldest === undefined) return new Set()
    const { rows: seen } = await store.page(reads, {
      index: 'ofUser',
      is: userId,
      where: [{ field: 'createdAt', from: oldest.createdAt, to: newest.createdAt }],
      order: 'desc',
      limit: MOST_READS,
    })
    return new Set(seen.map(({ notificationId }) => notificationId))
  }

  const list = async ({ userId }: Principal, query: z.output<typeof ListNotificationsQuery>) => {
    const mark = await markOf(userId)
    const [page, total, unread] = await Promise.all([
      store.page(notifications, {
        index: 'newest',
        order: 'desc',
        ...rangeOf(query, SCOPE),
      }),
      store.count(notifications, { index: 'newest' }),
      unreadOf(userId, mark),
    ])
    const seen = await readAmong(
      userId,
      page.rows.filter(({ createdAt }) => createdAt > mark),
    )
    return {
      notifications: page.rows.map((row) => shown(row, row.createdAt <= mark || seen.has(row.id))),
      unread,
      ...pageFacts(page, total, query, SCOPE),
    }
  }

  /** Marks one as read for the caller; doing it again changes nothing. */
  const read = async ({ userId }: Principal, id: string): Promise<Notification> => {
    const row = await store.get(notifications, id)
    if (!row) throw missing('Notification')
    const { createdAt, expiresAt } = row
    await store.commit<ReadRow>({ insert: reads, row: { userId, notificationId: id, createdAt, expiresAt } })
    return shown(row, true)
  }

  /** Marks all that exist now as read for the caller. */
  const readAll = async ({ userId }: Principal): Promise<number> => {
    const { rows } = await store.page(notifications, { index: 'newest', order: 'desc', limit: 1 })
    const readUntil = rows[0]?.createdAt
    if (readUntil === undefined) return 0
    const { applied } = await store.commit({ insert: readMarks, row: { userId, readUntil } })
    if (!applied) await store.commit({ update: readMarks, key: userId, set: { readUntil } })
    return unreadOf(userId, readUntil)
  }

  return { list, read, readAll }
}

const shown = ({ expiresAt: _expires, ...row }: NotificationRow, read: boolean): Notification => ({
  ...row,
  read,
})

/** The least text above an ISO time: an inclusive bound from it leaves the time itself out. */
const after = (mark: string) => (mark === NEVER ? NEVER : `${mark}\u0001`)
