import { missing } from '../core/errors.ts'
import { type PageQuery, pageFacts, pageRange, pageTotal, rowPages } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { CORRECTED, isTooLate, tooLateFrom } from '../core/wrong-clock.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Counters, Query, Store } from '../ports/store.ts'
import {
  addressedCounter,
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
const AT_ONCE = 100
/** More than a page has, in case several were created in the millisecond at its edge. */
const MOST_READS = 1_000

export type Notifications = ReturnType<typeof createNotifications>

/** Notifications with the read state of the caller. */
export const createNotifications = ({ store, clock, log }: { store: Store; clock: Clock; log: Log }) => {
  let latest = 0
  // Strictly increasing, and never before the write: a reader's mark must not cover later notifications.
  const creationTime = () => {
    latest = Math.max(latest + 1, clock.now())
    return iso(latest)
  }

  /** Gives notifications of a clock that ran ahead the time of now: a mark up to one would cover all until then. */
  const correctTimes = async (): Promise<void> => {
    if (isTooLate(latest, clock.now())) return
    const where = [{ field: 'createdAt' as const, from: tooLateFrom(clock.now()) }]
    const ahead = { index: 'newest', order: 'asc', where, limit: AT_ONCE } as const
    for await (const rows of rowPages((from) => store.page(notifications, { ...ahead, ...from })))
      for (const { id, createdAt: before } of rows) {
        const createdAt = creationTime()
        const write = { update: notifications, key: id, when: { createdAt: before }, set: { createdAt } }
        const { applied } = await store.commit<NotificationRow>(write)
        if (applied) log.warn({ notificationId: id, before, createdAt }, CORRECTED)
      }
  }

  /** The mark of a user. One that was set under a clock ahead covers later notifications too: it counts for nothing. */
  const currentMark = async (userId: string): Promise<ReadMark | undefined> => {
    const mark = await store.get(readMarks, userId)
    return mark && isAhead(mark) ? undefined : mark
  }

  const isAhead = ({ readUntil }: ReadMark) => isTooLate(Date.parse(readUntil), Math.max(latest, clock.now()))

  /** Stores an announcement; a repeat changes nothing. Throws Problem `unavailable`: the notice comes again. */
  const deliver = async ({ notification }: Announce): Promise<void> => {
    if (latest === 0) await correctTimes()
    const row = { ...notification, createdAt: creationTime(), expiresAt: clock.now() + KEEP_MS }
    await store.commit<NotificationRow>({ insert: notifications, row })
  }

  const countersFor = async ({ userId, role }: Principal): Promise<Counters> => {
    const { counter, member, addressed } = NOTIFICATION_COUNTERS
    const [all, own] = await Promise.all([
      store.counters(counter),
      role === 'admin' ? undefined : store.counters(addressedCounter(userId)),
    ])
    const parts = [all[member], own === undefined ? all[addressed] : own[member]]
    const sum = (name: string) => parts.reduce((total, part) => total + (part?.[name] ?? 0), 0)
    return { total: sum('total'), created: sum('created') }
  }

  /** The number of notifications after the mark that the user read one by one. */
  const readsSince = async (userId: string, mark: ReadMark | undefined): Promise<number> => {
    const member = readMember(mark?.readUntil)
    return (await store.counters(readCounter(userId), member))[member]?.count ?? 0
  }

  /**
   * The number of notifications and of unread ones, from counters: those after the mark minus the single reads. They
   * may lag behind the rows by 2 s, and count expired ones until storage removes them.
   */
  const counted = async (principal: Principal, mark: ReadMark | undefined) => {
    const [{ total = 0, created = 0 }, read] = await Promise.all([
      countersFor(principal),
      readsSince(principal.userId, mark),
    ])
    const afterMark = Math.min(total, created - (mark?.createdUntil ?? 0))
    return { total, unread: Math.max(0, afterMark - read) }
  }

  /** The notifications of a list, newest first, that the user read one by one. */
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

  const list = async (principal: Principal, query: PageQuery) => {
    const { userId } = principal
    const [mark, page] = await Promise.all([
      currentMark(userId),
      store.page(notifications, { ...newestFor(principal), ...pageRange(query, SCOPE) }),
    ])
    const afterMark = page.rows.filter((row) => isAfter(mark, row))
    const seen = await readAmong(userId, afterMark)
    const unreadHere = afterMark.length - afterMark.filter(({ id }) => seen.has(id)).length
    const isFirst = query.cursor === undefined && !query.offset
    const isWhole = isFirst && page.next === undefined
    // A first page that reaches back to the mark has every unread notification, so no counter is needed.
    const hasAllUnread = isWhole || (isFirst && afterMark.length < page.rows.length)
    const { total, unread } = isWhole ? NOTHING : await counted(principal, mark)
    return {
      notifications: page.rows.map((row) => toNotification(row, !isAfter(mark, row) || seen.has(row.id))),
      unread: hasAllUnread ? unreadHere : Math.max(unread, unreadHere),
      ...pageFacts(page, pageTotal(page, total, query), query, SCOPE),
    }
  }

  /** Marks a notification as read for the caller; a repeat changes nothing. */
  const read = async (principal: Principal, id: string): Promise<Notification> => {
    const { userId } = principal
    const [row, mark] = await Promise.all([store.get(notifications, id), currentMark(userId)])
    if (!row || !isFor(principal, row)) throw missing('Notification')
    const { createdAt, expiresAt } = row
    const read = { userId, notificationId: id, createdAt, ...(mark && { since: mark.readUntil }), expiresAt }
    if (isAfter(mark, row)) await store.commit<ReadRow>({ insert: reads, row: read })
    return toNotification(row, true)
  }

  /** Moves the mark of a user forward. Of two concurrent requests the later mark wins. */
  const moveMark = async (mark: ReadMark): Promise<void> => {
    const { userId: key, readUntil, createdUntil } = mark
    let { applied, row } = await store.commit<ReadMark>({ insert: readMarks, row: mark })
    while (!applied && row !== undefined && (row.readUntil <= readUntil || isAhead(row))) {
      const when = { readUntil: row.readUntil }
      const set = { readUntil, createdUntil: Math.max(createdUntil, row.createdUntil) }
      const outcome = await store.commit<ReadMark>({ update: readMarks, key, when, set })
      applied = outcome.applied
      row = outcome.row
    }
  }

  /** Marks all present notifications as read for the caller. Resolves to the number of unread ones: 0. */
  const readAll = async (principal: Principal): Promise<number> => {
    await correctTimes()
    // Counted before the newest is read: a notification that is created in between then counts as unread.
    const { created: createdUntil = 0 } = await countersFor(principal)
    const { rows } = await store.page(notifications, { ...newestFor(principal), limit: 1 })
    const readUntil = rows[0]?.createdAt
    if (readUntil === undefined) return 0
    await moveMark({ userId: principal.userId, readUntil, createdUntil })
    return 0
  }

  return { deliver, list, read, readAll }
}

const isFor = ({ userId, role }: Principal, { audience }: NotificationRow): boolean =>
  role === 'admin' || audience === undefined || audience === userId

const newestFor = ({ userId, role }: Principal) => {
  const where: Query<NotificationRow>['where'] = [{ field: 'audience', in: [null, userId] }]
  return { index: 'newest', order: 'desc', ...(role === 'admin' ? {} : { where }) } as const
}

const NOTHING = { total: 0, unread: 0 }

const isAfter = (mark: ReadMark | undefined, { createdAt }: NotificationRow): boolean =>
  createdAt > (mark?.readUntil ?? '')

const toNotification = (
  { expiresAt: _expires, audience: _audience, ...row }: NotificationRow,
  read: boolean,
): Notification => ({ ...row, read })
