import { missing } from '../core/errors.ts'
import { type PageQuery, pageFacts, rangeOf, totalOf } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Counters, Store } from '../ports/store.ts'
import {
  NOTIFICATION_COUNTERS,
  type NotificationRow,
  notifications,
  type ReadMark,
  type ReadRow,
  readCounter,
  readMarks,
  readMember,
  reads,
} from './rows.ts'
import type { Announce, Notification } from './schema.ts'

const SCOPE = 'notifications'
const KEEP_MS = 90 * 86_400_000
/** More than a page has, should several have been made in the millisecond at its edge. */
const MOST_READS = 1_000

export type Notifications = ReturnType<typeof createNotifications>

/** Notifications with the read state of the caller. */
export const createNotifications = ({ store, clock }: { store: Store; clock: Clock }) => {
  let latest = 0
  // Strictly growing, and not before it is stored: a reader's mark must not cover what comes after it.
  const creationTime = () => {
    latest = Math.max(latest + 1, clock.now())
    return iso(latest)
  }

  /** Stores what was announced; a repeat finds it stored. Throws Problem `unavailable` to have it again. */
  const deliver = async ({ notification }: Announce): Promise<void> => {
    const row = { ...notification, createdAt: creationTime(), expiresAt: clock.now() + KEEP_MS }
    await store.commit<NotificationRow>({ insert: notifications, row })
  }

  const countersOfAll = async (): Promise<Counters> =>
    (await store.counters(NOTIFICATION_COUNTERS.counter))[NOTIFICATION_COUNTERS.member] ?? {}

  /** How many notifications newer than the mark the user has read one by one. */
  const readsSince = async (userId: string, mark: ReadMark | undefined): Promise<number> => {
    const member = readMember(mark?.readUntil)
    return (await store.counters(readCounter(userId), member))[member]?.count ?? 0
  }

  /**
   * How many notifications there are, and how many of them the user has not read, by counters: those created after the mark
   * but for the single reads. The oldest expire first, so what is left of those is at most all there are.
   *
   * The counters may lag behind the rows, by up to 2 s, and notifications that expired count until storage removes them. A
   * mark that was set within such a lag may leave the notifications of those 2 s unread here, until the next mark.
   */
  const counted = async (userId: string, mark: ReadMark | undefined) => {
    const [{ total = 0, created = 0 }, read] = await Promise.all([countersOfAll(), readsSince(userId, mark)])
    const afterMark = Math.min(total, created - (mark?.createdUntil ?? 0))
    return { total, unread: Math.max(0, afterMark - read) }
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

  const list = async ({ userId }: Principal, query: PageQuery) => {
    const [mark, page] = await Promise.all([
      store.get(readMarks, userId),
      store.page(notifications, { index: 'newest', order: 'desc', ...rangeOf(query, SCOPE) }),
    ])
    const afterMark = page.rows.filter((row) => isAfter(mark, row))
    const seen = await readAmong(userId, afterMark)
    const unreadHere = afterMark.length - afterMark.filter(({ id }) => seen.has(id)).length
    const isFirst = query.cursor === undefined && !query.offset
    const isWhole = isFirst && page.next === undefined
    // A first page that goes back to the mark has every unread one, so they need no counter.
    const hasAllUnread = isWhole || (isFirst && afterMark.length < page.rows.length)
    const { total, unread } = isWhole ? NOTHING : await counted(userId, mark)
    return {
      notifications: page.rows.map((row) => shown(row, !isAfter(mark, row) || seen.has(row.id))),
      unread: hasAllUnread ? unreadHere : Math.max(unread, unreadHere),
      ...pageFacts(page, totalOf(page, total, query), query, SCOPE),
    }
  }

  /** Marks one as read for the caller; doing it again changes nothing. */
  const read = async ({ userId }: Principal, id: string): Promise<Notification> => {
    const [row, mark] = await Promise.all([store.get(notifications, id), store.get(readMarks, userId)])
    if (!row) throw missing('Notification')
    const { createdAt, expiresAt } = row
    const since = mark === undefined ? {} : { since: mark.readUntil }
    if (isAfter(mark, row))
      await store.commit<ReadRow>({
        insert: reads,
        row: { userId, notificationId: id, createdAt, ...since, expiresAt },
      })
    return shown(row, true)
  }

  /** Moves the mark of a user forward. Of two requests at once the one that saw more wins. */
  const moveMark = async (mark: ReadMark): Promise<void> => {
    const { userId: key, readUntil, createdUntil = 0 } = mark
    let { applied, row } = await store.commit<ReadMark>({ insert: readMarks, row: mark })
    while (!applied && row !== undefined && row.readUntil <= readUntil) {
      const when = { readUntil: row.readUntil }
      const set = { readUntil, createdUntil: Math.max(createdUntil, row.createdUntil ?? 0) }
      const outcome = await store.commit<ReadMark>({ update: readMarks, key, when, set })
      applied = outcome.applied
      row = outcome.row
    }
  }

  /** Marks all that exist now as read for the caller. Resolves to how many are unread then: none. */
  const readAll = async ({ userId }: Principal): Promise<number> => {
    // Counted before the newest is read: one that comes in between rather counts as unread than as read.
    const { created: createdUntil = 0 } = await countersOfAll()
    const { rows } = await store.page(notifications, { index: 'newest', order: 'desc', limit: 1 })
    const readUntil = rows[0]?.createdAt
    if (readUntil === undefined) return 0
    await moveMark({ userId, readUntil, createdUntil })
    return 0
  }

  return { deliver, list, read, readAll }
}

const NOTHING = { total: 0, unread: 0 }

const isAfter = (mark: ReadMark | undefined, { createdAt }: NotificationRow): boolean =>
  createdAt > (mark?.readUntil ?? '')

const shown = ({ expiresAt: _expires, ...row }: NotificationRow, read: boolean): Notification => ({
  ...row,
  read,
})
