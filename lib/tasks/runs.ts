import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Enqueue } from './enqueue.ts'
import { createFailing, type GiveUp } from './failing.ts'
import { createHeldMoves, type Held, textOf } from './held.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Reconcile } from './reconcile.ts'
import { type TaskRow, taskEvents, tasks } from './rows.ts'
import { type TaskError, type TaskResult, TokenUsageSchema } from './schema.ts'

type Needs = {
  store: Store
  enqueueing: Pick<Enqueue, 'enqueue'>
  lifecycle: Lifecycle
  reconcile: Reconcile
  giveUp: GiveUp
  clock: Clock
  leaseMs: number
}

/** The writes of a run once it is claimed. Each applies only while the task is still held under the same fencing number. */
export const createRuns = (needs: Needs) => {
  const { store, lifecycle, clock, leaseMs } = needs
  const { enqueue } = needs.enqueueing
  const moveHeld = createHeldMoves(needs)
  const failing = createFailing({ ...needs, moveHeld })
  const leaseEnd = () => clock.now() + leaseMs

  /** Renews the lease, with a progress event when there is something to tell. False when the task is no longer held. */
  const renew = async (held: Held, message?: string): Promise<boolean> => {
    const note = message === undefined ? [] : [lifecycle.event(held.id, 'progress', textOf(held, message))]
    const { applied } = await store.commit<TaskRow>(
      {
        update: tasks,
        key: held.id,
        when: { status: 'in_progress', fence: held.fence },
        set: { leaseExpiresAt: leaseEnd() },
      },
      note.map((row) => ({ insert: taskEvents, row })),
    )
    return applied
  }

  const succeed = (held: Held, result: TaskResult) =>
    moveHeld(held, {
      verb: 'succeed',
      set: {
        result,
        completedAt: iso(clock.now()),
        ...usageOf(result),
      },
      unset: ['error'],
      event: textOf(held),
    })

  /** Queues the next attempt, to be delivered after `delayMs`. */
  const retry = async (held: Held, error: TaskError, delayMs: number): Promise<TaskRow | undefined> => {
    const row = await moveHeld(held, {
      verb: 'retry',
      set: { error, nextAttemptAt: iso(clock.now() + delayMs) },
      event: { ...textOf(held, error.message), metadata: { code: error.code, delayMs } },
    })
    return row && enqueue(row)
  }

  /** Gives a task back unharmed, its attempt not counted: the worker stops, the task did nothing wrong. */
  const release = async (held: Held, reason: string): Promise<void> => {
    const row = await moveHeld(held, { verb: 'release', add: { attempts: -1 }, event: textOf(held, reason) })
    if (row) await enqueue(row)
  }

  /** Whether a task is still held under the same fencing number. */
  const isHeld = async (held: Held): Promise<boolean> => {
    const row = await store.get(tasks, held.id)
    return row?.status === 'in_progress' && row.fence === held.fence
  }

  return { renew, isHeld, succeed, retry, release, ...failing }
}

/** What an agent says it spent, where it says so in the form that tasks show. */
const usageOf = ({ usage }: TaskResult) => {
  if (usage === undefined) return {}
  const { data } = TokenUsageSchema.safeParse(usage)
  return data ? { usage: data } : {}
}
