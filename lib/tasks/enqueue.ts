import { messageOf } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Queue } from '../ports/queue.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { MessageFor } from './messages.ts'
import { followingId } from './reconcile-owed.ts'
import { birthIn, birthText } from './remembered.ts'
import type { TaskRow } from './rows.ts'
import type { RunTask } from './schema.ts'

type Needs = {
  queue: Queue<RunTask>
  lifecycle: Lifecycle
  messageFor: MessageFor
  clock: Clock
  log: Log
}

export type Enqueue = ReturnType<typeof createEnqueue>

/** How stored tasks get to the queue. */
export const createEnqueue = ({ queue, lifecycle, messageFor, clock, log }: Needs) => {
  /**
   * Hands a task to the queue; one that is pending is queued once the queue took it. When the queue refuses, or the
   * attempt is due later than the queue can delay, the task stays as it is and a later tick tries again.
   */
  const enqueue = async (row: TaskRow): Promise<TaskRow> => {
    const message = messageFor(row)
    if ((message.delayMs ?? 0) > queue.longestDelayMs) return row
    try {
      await queue.send([message])
      if (row.status !== 'pending') return row
      const moved = await lifecycle.move({
        taskId: row.id,
        from: 'pending',
        verb: 'enqueue',
        // Not one that has been moved since: that would not be told.
        when: { attempts: row.attempts, last: row.last ?? null },
        set: { queuedAt: iso(clock.now()) },
        mayOwe: true,
        ...eventOfQueueing(row),
      })
      return moved.row ?? row
    } catch (thrown) {
      log.warn(
        { taskId: row.id, reason: messageOf(thrown) },
        'the task could not be queued; it stays as it is',
      )
      return row
    }
  }

  /** A new task as it is to be stored once its message was sent: queued, or pending where the queue refused. */
  const sent = async (row: TaskRow): Promise<TaskRow> => {
    try {
      await queue.send([messageFor(row)])
      const birth = birthIn(row.born)
      const born = birth && { born: birthText({ ...birth, as: 'queued' }) }
      return { ...row, ...born, status: 'queued', queuedAt: iso(clock.now()) }
    } catch (thrown) {
      log.warn(
        { taskId: row.id, reason: messageOf(thrown) },
        'the task could not be queued; it stays pending',
      )
      return row
    }
  }

  return { enqueue, sent, messageFor }
}

/**
 * The first time is told, in the place that the event has had since the creation: the message is out, and a claim may be
 * told before it. What was queued before is told by what brought it back.
 */
const eventOfQueueing = ({ born, queuedAt }: TaskRow) => {
  const birth = birthIn(born)
  return birth === undefined || queuedAt !== undefined ? { silent: true } : { eventId: followingId(birth.id) }
}
