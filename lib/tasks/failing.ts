import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Follower } from '../ports/store.ts'
import type { Enqueue } from './enqueue.ts'
import { endTally, type Held, type MoveHeld, textOf } from './held.ts'
import type { Lifecycle, Move } from './lifecycle.ts'
import type { TaskRow } from './rows.ts'
import type { RunTask, TaskError } from './schema.ts'
import { tallyOfEnd } from './tally.ts'

/** What follows when a task has failed for good: written with it, and done after it. */
export type GiveUp = (task: TaskRow) => { followers: readonly Follower[]; after(): Promise<void> }

type Needs = {
  enqueueing: Pick<Enqueue, 'enqueue'>
  lifecycle: Lifecycle
  moveHeld: MoveHeld
  giveUp: GiveUp
  clock: Clock
}

/** How tasks fail for good, and what becomes of those whose holder or message was lost. */
export const createFailing = ({ enqueueing: { enqueue }, lifecycle, moveHeld, giveUp, clock }: Needs) => {
  /** The end of a task that will not be tried again: failed, in the dead letter queue, somebody told. */
  const exhaust = async (
    held: Held,
    error: TaskError,
    when: Move['when'] = {},
  ): Promise<TaskRow | undefined> => {
    let given: ReturnType<GiveUp> | undefined
    const row = await moveHeld(held, {
      verb: 'exhaust',
      when,
      set: { error, completedAt: iso(clock.now()) },
      event: { ...textOf(held, error.message), metadata: { code: error.code } },
      followers: (failed) => {
        given = giveUp(failed)
        return [...endTally('failed')(failed), ...given.followers]
      },
    })
    await given?.after()
    return row
  }

  /** Takes a task from a holder whose lease ran out, its attempt counted, and only if the lease is still that one. */
  const recover = async (row: TaskRow): Promise<void> => {
    const lost = {
      code: 'worker_lost',
      message: `The worker of attempt ${row.attempts} stopped without a word`,
    }
    const when = row.leaseExpiresAt === undefined ? {} : { leaseExpiresAt: row.leaseExpiresAt }
    if (row.attempts >= row.maxAttempts) return void (await exhaust(row, lost, when))
    const moved = await moveHeld(row, {
      verb: 'recover',
      when,
      set: { error: lost },
      event: textOf(row, lost.message),
    })
    if (moved) await enqueue(moved)
  }

  /**
   * Gives up a task whose message the queue gave up on before anybody could claim it: failed, in the dead letter queue.
   * Resolves to false when the message has nothing to do with what the task waits for.
   */
  const undeliverable = async ({ taskId, attempt }: RunTask, error: TaskError): Promise<boolean> => {
    let given: ReturnType<GiveUp> | undefined
    const { applied } = await lifecycle.move({
      taskId,
      from: 'queued',
      verb: 'lose',
      when: { attempts: attempt - 1 },
      set: { error, completedAt: iso(clock.now()) },
      unset: ['nextAttemptAt'],
      event: { message: error.message, metadata: { code: error.code } },
      followers: (failed) => {
        given = giveUp(failed)
        return [
          ...tallyOfEnd(failed.agent, 'failed', failed.completedAt ?? failed.updatedAt, 0),
          ...given.followers,
        ]
      },
    })
    await given?.after()
    return applied
  }

  return { exhaust, recover, undeliverable }
}
