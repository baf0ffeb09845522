import { messageOf, missing } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Queue } from '../ports/queue.ts'
import type { Follower, Store } from '../ports/store.ts'
import type { Enqueue } from './enqueue.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Reconcile } from './reconcile.ts'
import { moveIn } from './remembered.ts'
import { publicTask, type TaskRow, tasks } from './rows.ts'
import type { RunTask, Task } from './schema.ts'
import type { Telling } from './telling.ts'

type Needs = {
  store: Store
  lifecycle: Lifecycle
  reconcile: Pick<Reconcile, 'settle'>
  telling: Pick<Telling, 'move'>
  enqueueing: Pick<Enqueue, 'enqueue' | 'messageFor'>
  queue: Pick<Queue<RunTask>, 'send'>
  clock: Clock
  log: Log
}

/**
 * Queues a failed task again, its attempts back at 0: `writes` go with the write that decides it, `send` comes after.
 * Only the pending dead letter of a failed task may decide that, so the task is failed when it does.
 */
export const createRedrive = (needs: Needs) => {
  const { store, lifecycle, reconcile, telling, enqueueing, queue, clock, log } = needs
  const redriving = ({ id, completedAt }: Task) =>
    ({
      taskId: id,
      from: 'failed',
      verb: 'redrive',
      // This failure and no later one, which has a dead letter of its own.
      when: { completedAt: completedAt ?? null },
      set: { attempts: 0, queuedAt: iso(clock.now()) },
      unset: ['error', 'completedAt', 'startedAt'],
    }) as const

  /** The task after the write that decided; undefined when there is none, or storage does not say. */
  const decided = async ({ id: taskId }: Task): Promise<TaskRow | undefined> => {
    try {
      return await store.get(tasks, taskId, true)
    } catch (thrown) {
      // Where storage lost the move too, asking again makes it.
      log.warn({ taskId, reason: messageOf(thrown) }, 'a task to be tried again waits for the tick')
      return undefined
    }
  }

  /** The move that a death or a refusal after the write that decided left out. */
  const moved = async (row: TaskRow): Promise<TaskRow> =>
    (await lifecycle.move({ ...redriving(row), mayOwe: true })).row ?? row

  return {
    /** The task, with nothing of it untold, and the event of its failure; undefined when there is none. */
    find: async (id: string): Promise<{ task: Task; failedBy: string | undefined } | undefined> => {
      const row = (await reconcile.settle(id)) ?? (await store.get(tasks, id, true))
      return (
        row && { task: publicTask(row), failedBy: row.status === 'failed' ? moveIn(row.last)?.id : undefined }
      )
    },

    writes: (task: Task): readonly Follower[] => lifecycle.asFollowers(redriving(task)),

    /**
     * What cannot be done now is left to the tick, which takes up what is pending. Rejects only while the task is still
     * failed: then it is to be asked for again.
     */
    send: async (before: Task): Promise<Task> => {
      const row = await decided(before)
      if (row === undefined) return redriven(before)
      const pending = isUnmoved(row, before) ? await moved(row) : row
      return publicTask((await telling.move(pending)) ? await enqueueing.enqueue(pending) : pending)
    },

    /**
     * The message of a task once more that waits for it; of two, one finds nothing to do. Rejects with Problem
     * `unavailable` when the queue does not take it, but for a pending task, which is the tick's then.
     */
    sendAgain: async ({ id }: Task): Promise<Task> => {
      const row = await store.get(tasks, id, true)
      if (row === undefined) throw missing('Task')
      if (row.status === 'pending') return publicTask(await enqueueing.enqueue(row))
      if (row.status === 'queued') await queue.send([enqueueing.messageFor(row)])
      return publicTask(row)
    },
  }
}

/** Whether it is failed as it was: possible only where storage, without transactions, has rows say what their move was. */
const isUnmoved = ({ status, last, completedAt }: TaskRow, before: Task): boolean =>
  status === 'failed' && last !== undefined && completedAt === before.completedAt

/** A failed task as its redrive leaves it. */
const redriven = ({ error: _error, completedAt: _completed, startedAt: _started, ...task }: Task): Task => ({
  ...task,
  status: 'pending',
  attempts: 0,
})
