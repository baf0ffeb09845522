import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Follower, Store } from '../ports/store.ts'
import type { Enqueue } from './enqueue.ts'
import type { EventText, Lifecycle, Move } from './lifecycle.ts'
import { type TaskRow, taskEvents, tasks } from './rows.ts'
import { type RunTask, type TaskError, type TaskResult, TokenUsageSchema } from './schema.ts'
import { tallyOfEnd } from './tally.ts'

/** What follows when a task has failed for good: written with it, and done after it. */
export type GiveUp = (task: TaskRow) => { followers: readonly Follower[]; after(): Promise<void> }

type Needs = {
  store: Store
  enqueueing: Pick<Enqueue, 'enqueue'>
  lifecycle: Lifecycle
  giveUp: GiveUp
  clock: Clock
  leaseMs: number
}

/** A task that a worker holds; its row is the proof, through the fencing number in it. */
export type Held = Pick<TaskRow, 'id' | 'fence' | 'attempts' | 'agent' | 'priority' | 'startedAt'>

const LEASE_ENDS = ['leaseExpiresAt'] as const

/** The writes of a run once it is claimed. Each applies only while the task is still held under the same fencing number. */
export const createRuns = ({ store, enqueueing: { enqueue }, lifecycle, giveUp, clock, leaseMs }: Needs) => {
  const leaseEnd = () => clock.now() + leaseMs

  /** Moves a held task on. Resolves to the row, or undefined when the task is no longer held. */
  const moveHeld = (
    held: Held,
    move: Omit<Move, 'taskId' | 'from'> & { event: EventText },
  ): Promise<TaskRow | undefined> =>
    lifecycle
      .move({
        ...move,
        taskId: held.id,
        from: 'in_progress',
        when: { ...move.when, fence: held.fence },
        unset: [...(move.unset ?? []), ...LEASE_ENDS],
      })
      .then(({ applied, row }) => (applied ? row : undefined))

  const textOf = (held: Held, message?: string) => ({
    agent: held.agent,
    attempt: held.attempts,
    ...(message === undefined ? {} : { message }),
  })

  const endTally = (status: 'completed' | 'failed') => (row: TaskRow) => {
    const at = row.completedAt ?? row.updatedAt
    const durationMs = Math.max(0, Date.parse(at) - Date.parse(row.startedAt ?? at))
    return tallyOfEnd(row.agent, status, at, durationMs)
  }

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
      followers: endTally('completed'),
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

  /** Gives a task back unharmed, its attempt not counted: the worker stops, the task did nothing wrong. */
  const release = async (held: Held, reason: string): Promise<void> => {
    const row = await moveHeld(held, { verb: 'release', add: { attempts: -1 }, event: textOf(held, reason) })
    if (row) await enqueue(row)
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

  /** Whether a task is still held under the same fencing number. */
  const isHeld = async (held: Held): Promise<boolean> => {
    const row = await store.get(tasks, held.id)
    return row?.status === 'in_progress' && row.fence === held.fence
  }

  return { renew, isHeld, succeed, retry, exhaust, release, recover, undeliverable }
}

/** What an agent says it spent, where it says so in the form that tasks show. */
const usageOf = ({ usage }: TaskResult) => {
  const { data } = TokenUsageSchema.safeParse(usage)
  return data ? { usage: data } : {}
}
