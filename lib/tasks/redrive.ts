import { messageOf } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Follower, Store } from '../ports/store.ts'
import type { Enqueue } from './enqueue.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Reconcile } from './reconcile.ts'
import { publicTask, tasks } from './rows.ts'
import type { Task } from './schema.ts'
import type { Telling } from './telling.ts'

type Needs = {
  store: Store
  lifecycle: Lifecycle
  reconcile: Pick<Reconcile, 'settle'>
  telling: Pick<Telling, 'move'>
  enqueueing: Pick<Enqueue, 'enqueue'>
  clock: Clock
  log: Log
}

/**
 * Queues a failed task again, its attempts back at 0: `writes` go with the write that decides it, `send` comes after.
 * Only the pending dead letter of a failed task may decide that, so the task is failed when it does.
 */
export const createRedrive = ({ store, lifecycle, reconcile, telling, enqueueing, clock, log }: Needs) => ({
  /** The task, with nothing of it untold; undefined when there is none. */
  find: async (id: string): Promise<Task | undefined> => {
    const row = (await reconcile.settle(id)) ?? (await store.get(tasks, id, true))
    return row && publicTask(row)
  },

  writes: (id: string): readonly Follower[] =>
    lifecycle.asFollowers({
      taskId: id,
      from: 'failed',
      verb: 'redrive',
      set: { attempts: 0, queuedAt: iso(clock.now()) },
      unset: ['error', 'completedAt', 'startedAt'],
    }),

  /** Never rejects, for it is decided: what cannot be done now is left to the tick, which takes up what is pending. */
  send: async (before: Task): Promise<Task> => {
    try {
      const row = await store.get(tasks, before.id, true)
      if (row === undefined) return redriven(before)
      return publicTask((await telling.move(row)) ? await enqueueing.enqueue(row) : row)
    } catch (thrown) {
      log.warn(
        { taskId: before.id, reason: messageOf(thrown) },
        'a task to be tried again waits for the tick',
      )
      return redriven(before)
    }
  },
})

/** A failed task as its redrive leaves it. */
const redriven = ({ error: _error, completedAt: _completed, startedAt: _started, ...task }: Task): Task => ({
  ...task,
  status: 'pending',
  attempts: 0,
})
