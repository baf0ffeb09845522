import { messageOf } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Queue } from '../ports/queue.ts'
import type { Follower, Store } from '../ports/store.ts'
import { type Announcement, announcements, notifications } from './rows.ts'
import type { Announce } from './schema.ts'

type Needs = { store: Store; queue: Queue<Announce>; clock: Clock; log: Log }
type FailedTask = {
  id: string
  title: string
  attempts: number
  completedAt?: string | undefined
  error?: { message: string } | undefined
}

const KEEP_MS = 90 * 86_400_000
const PAGE = 200

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Announcements on their way to people. One is stored together with what it tells (a transactional outbox), sent to
 * the notification queue after that, and removed once it is delivered: told once, whatever dies in between.
 */
export const createOutbox = ({ store, queue, clock, log }: Needs) => {
  let latest = 0
  // Strictly growing, and not before it is told: a reader's mark must not cover what comes after it.
  const deliveryTime = () => {
    latest = Math.max(latest + 1, clock.now())
    return iso(latest)
  }

  const send = async (ids_: readonly string[]) => {
    try {
      await queue.send(ids_.map((announcementId) => ({ body: { announcementId }, priority: 3 as const })))
    } catch (thrown) {
      // The announcement is stored; the next start or tick sends it again.
      log.warn(
        { announcements: ids_.length, reason: messageOf(thrown) },
        'the notification queue did not take them',
      )
    }
  }

  /**
   * Announces that a task failed for good: what to write with the failure, and what to do after it. The announcement has
   * the ULID of the failure's event: made twice, it is told once.
   */
  const taskFailed = (task: FailedTask, eventId: string) => {
    const row: Announcement = {
      id: `ntf${eventId.slice(eventId.indexOf('_'))}`,
      type: 'task_failed',
      title: `Task failed: ${task.title}`.slice(0, 300),
      message: `After ${task.attempts === 1 ? 'one attempt' : `${task.attempts} attempts`}: ${task.error?.message ?? 'no reason given'}`,
      taskId: task.id,
      createdAt: task.completedAt ?? iso(clock.now()),
    }
    const followers: Follower[] = [{ insert: announcements, row }]
    return { followers, after: () => send([row.id]) }
  }

  /** Handles one message of the notification queue. A repeat finds nothing left to do. */
  const deliver = async ({ announcementId }: Announce): Promise<void> => {
    const announcement = await store.get(announcements, announcementId)
    if (!announcement) return
    const row = { ...announcement, createdAt: deliveryTime(), expiresAt: clock.now() + KEEP_MS }
    await store.commit({ insert: notifications, row })
    await store.commit({ remove: announcements, key: announcementId })
  }

  /** Sends what was announced more than `olderThanMs` ago and not told yet. */
  const resend = async (olderThanMs = 0): Promise<void> => {
    const until = iso(clock.now() - olderThanMs)
    const { rows } = await store.page(announcements, {
      index: 'oldest',
      order: 'asc',
      where: [{ field: 'createdAt', to: until }],
      limit: PAGE,
    })
    if (rows.length > 0) await send(rows.map((row) => row.id))
  }

  return { taskFailed, deliver, resend }
}
