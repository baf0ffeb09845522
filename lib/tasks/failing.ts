import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Follower, Store } from '../ports/store.ts'
import type { Enqueue } from './enqueue.ts'
import { type Held, type MoveHeld, textOf } from './held.ts'
import type { Lifecycle, Move } from './lifecycle.ts'
import type { Reconcile } from './reconcile.ts'
import { moveIn } from './remembered.ts'
import type { TaskRow } from './rows.ts'
import type { RunTask, TaskError } from './schema.ts'

/**
 * What follows when a task has failed for good: written with it, and done after it. Both are the same for the same task
 * and event, so that whoever finds them missing can make up for them.
 */
export type GiveUp = (
  task: TaskRow,
  eventId: string,
) => { followers: readonly Follower[]; after(): Promise<void> }

type Needs = {
  store: Store
  enqueueing: Pick<Enqueue, 'enqueue'>
  lifecycle: Lifecycle
  reconcile: Pick<Reconcile, 'settle'>
  moveHeld: MoveHeld
  giveUp: GiveUp
  clock: Clock
}

/** How tasks fail for good, and what becomes of those whose holder or message was lost. */
export const createFailing = (needs: Needs) => {
  const { store, lifecycle, reconcile, moveHeld, clock } = needs

  /** A move that gives a task up: failed, in the dead letter queue, somebody told once `after` is called. */
  const givingUp = () => {
    let given: ReturnType<GiveUp> | undefined
    return {
      followers: (failed: TaskRow, eventId: string) => {
        given = needs.giveUp(failed, eventId)
        return given.followers
      },
      after: async () => given?.after(),
    }
  }

  /** The end of a task that will not be tried again. */
  const exhaust = async (
    held: Held,
    error: TaskError,
    when: Move['when'] = {},
  ): Promise<TaskRow | undefined> => {
    const { followers, after } = givingUp()
    const row = await moveHeld(held, {
      verb: 'exhaust',
      when,
      set: { error, completedAt: iso(clock.now()) },
      event: { ...textOf(held, error.message), metadata: { code: error.code } },
      followers,
    })
    await after()
    if (row === undefined) await overtaken(held.id)
    return row
  }

  /** Takes a task from a holder whose lease ran out, its attempt counted, and only if the lease is still that one. */
  const recover = async (row: TaskRow): Promise<void> => {
    const lost = {
      code: 'worker_lost',
      message: `The worker of attempt ${row.attempts} stopped without a word`,
    }
    const when = row.leaseExpiresAt === undefined ? {} : { leaseExpiresAt: row.leaseExpiresAt }
    await reconcile.settle(row.id)
    if (row.attempts >= row.maxAttempts) return void (await exhaust(row, lost, when))
    const moved = await moveHeld(row, {
      verb: 'recover',
      when,
      set: { error: lost },
      event: textOf(row, lost.message),
    })
    if (moved) await needs.enqueueing.enqueue(moved)
  }

  /**
   * Gives up a task whose message the queue gave up on before anybody could claim it: failed, in the dead letter queue.
   * Resolves to false when the message has nothing to do with what the task waits for.
   */
  const undeliverable = async ({ taskId, attempt }: RunTask, error: TaskError): Promise<boolean> => {
    await overtaken(taskId)
    const { followers, after } = givingUp()
    const { applied } = await lifecycle.move({
      taskId,
      from: 'queued',
      verb: 'lose',
      when: { attempts: attempt - 1 },
      set: { error, completedAt: iso(clock.now()) },
      unset: ['nextAttemptAt'],
      event: { message: error.message, metadata: { code: error.code } },
      followers,
    })
    await after()
    return applied
  }

  /**
   * Makes up for what is missing of the last move of a task, when a message of it comes that ought to have been used up:
   * whoever had it may have died over it. Of a failed task that is its dead letter and announcement, too.
   */
  const overtaken = async (taskId: string): Promise<void> => {
    const row = await reconcile.settle(taskId)
    const last = moveIn(row?.last)
    if (row?.status !== 'failed' || last === undefined) return
    const [letter, ...rest] = needs.giveUp(row, last.id).followers
    if (letter === undefined || !('insert' in letter)) return
    await store.commit(
      letter,
      rest.filter((one) => 'tally' in one),
    )
    for (const one of rest) if ('insert' in one) await store.commit(one)
  }

  return { exhaust, recover, undeliverable, overtaken }
}
