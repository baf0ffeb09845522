import { missing } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Feed } from '../ports/feed.ts'
import type { Ids } from '../ports/ids.ts'
import type { AnyWrite, Store } from '../ports/store.ts'
import { progressOf } from './read.ts'
import { tasks } from './rows.ts'
import {
  type RunTask,
  type Task,
  type TaskError,
  type TaskResult,
  type TaskRow,
  TokenUsageSchema,
} from './schema.ts'
import type { EventText, Transition, Transitions } from './transitions.ts'

/** The dead letter of a task that has failed by an event; written with the failure. */
export type DeadLetterOf = (task: Task, eventId: string) => AnyWrite

/** A task that a worker has leased; the fencing token in it is the proof. */
type Leased = Task & Pick<TaskRow, 'fence' | 'leaseExpiresAt' | 'checkpoint'>

type Needs = {
  store: Store
  feed: Pick<Feed, 'append'>
  transitions: Transitions
  deadLetterOf: DeadLetterOf
  clock: Clock
  ids: Ids
  leaseMs: number
  /** The longest delay that the queue gives a message. */
  longestDelayMs: number
}

export type Lease = ReturnType<typeof createLease>

/**
 * The lease on a task: how a worker takes it, keeps it, and gives it up again by what its run came to. Every write after
 * the claim applies only while the task is leased under the same fencing token.
 */
export const createLease = (needs: Needs) => {
  const { store, feed, transitions, deadLetterOf, clock, ids, leaseMs, longestDelayMs } = needs
  const leaseEnd = () => clock.now() + leaseMs

  /** Resolves to the row, or undefined when the task is not leased under this token any more. */
  const applyLeased = async (
    { id, fence, checkpoint }: Pick<TaskRow, 'id' | 'fence' | 'checkpoint'>,
    it: Omit<Transition, 'taskId' | 'from'> & { event: EventText },
    rows: readonly AnyWrite[] = [],
  ): Promise<TaskRow | undefined> => {
    const { applied, row } = await transitions.apply(
      {
        ...it,
        taskId: id,
        from: 'in_progress',
        when: { ...it.when, fence },
        unset: [
          ...(it.unset ?? []),
          'leaseExpiresAt',
          ...(checkpoint && it.set?.checkpoint === undefined ? (['checkpoint'] as const) : []),
        ],
      },
      rows,
    )
    return applied ? row : undefined
  }

  const started = (taskId: string, attempt: number): Transition => ({
    taskId,
    from: 'queued',
    verb: 'start',
    when: { attempts: attempt - 1 },
    add: { fence: 1, attempts: 1 },
    set: { leaseExpiresAt: leaseEnd() },
    // The first start of its current life: later attempts keep it, a redrive removes it, for that begins a new life.
    setIfAbsent: { startedAt: iso(clock.now()) },
    unset: ['nextAttemptAt', 'sentAgainAt'],
    event: { attempt },
  })

  /** The attempt that waits for a decision goes on: its number stays, its fencing token grows. */
  const resumed = (taskId: string, attempt: number): Transition => ({
    taskId,
    from: 'in_progress',
    verb: 'resume',
    when: { attempts: attempt, waitingFor: 'approval' },
    add: { fence: 1 },
    set: { leaseExpiresAt: leaseEnd() },
    unset: ['waitingFor'],
    event: { attempt, message: 'Goes on after a decision', metadata: { code: 'resumed' } },
  })

  /**
   * Leases a queued task for the attempt that a message names: the attempt is counted, the fencing token grows. Resolves to
   * undefined when there is nothing to run: cancelled, claimed already, or a message that comes twice. Throws Problem
   * `missing` for a task that does not exist.
   */
  const claim = async ({ taskId, attempt, resume }: RunTask): Promise<TaskRow | undefined> => {
    const { applied, row } = await transitions.apply(
      resume ? resumed(taskId, attempt) : started(taskId, attempt),
    )
    if (row === undefined) throw missing('Task')
    return applied ? row : undefined
  }

  /** Renews the lease, with a progress event when there is a message. False when the task is not leased any more. */
  const renew = async (leased: Leased, message?: string): Promise<boolean> => {
    // Made before the write: progress from before the end of a run comes before it, however long storage takes.
    const eventId = ids.next('evt')
    const { applied } = await store.commit<TaskRow>({
      update: tasks,
      key: leased.id,
      when: { status: 'in_progress', fence: leased.fence },
      set: { leaseExpiresAt: leaseEnd() },
    })
    if (applied && message !== undefined)
      await feed.append(
        progressOf(leased.id),
        [{ type: 'progress', data: { message, attempt: leased.attempts } }],
        { id: eventId },
      )
    return applied
  }

  /** Whether a task is still leased under the same fencing token. */
  const isLeased = async ({ id, fence }: Leased): Promise<boolean> => {
    const row = await store.get(tasks, id)
    return row?.status === 'in_progress' && row.fence === fence
  }

  const succeed = (leased: Leased, result: TaskResult) =>
    applyLeased(leased, {
      verb: 'succeed',
      set: { result, completedAt: iso(clock.now()), ...usageOf(result) },
      unset: ['error'],
      event: { attempt: leased.attempts },
    })

  /** Queues the next attempt in `delayMs`; one that is due later than the queue can delay is pending until then. */
  const retry = (leased: Leased, error: TaskError, delayMs: number) =>
    applyLeased(leased, {
      verb: delayMs > longestDelayMs ? 'defer' : 'retry',
      set: { error, nextAttemptAt: iso(clock.now() + delayMs) },
      event: { attempt: leased.attempts, message: error.message, metadata: { code: error.code, delayMs } },
    })

  /** Puts a run aside until a person has decided: it keeps its attempt, and gives its lease back. */
  const suspend = (leased: Leased, { checkpoint, message }: { checkpoint: object; message: string }) =>
    applyLeased(leased, {
      verb: 'suspend',
      set: { waitingFor: 'approval', checkpoint },
      event: { attempt: leased.attempts, message, metadata: { code: 'waiting_for_approval' } },
    })

  /** Gives a task back unharmed, its attempt not counted: the worker stops, the task did nothing wrong. */
  const release = (leased: Leased, reason: string) =>
    applyLeased(leased, {
      verb: 'release',
      add: { attempts: -1 },
      event: { attempt: leased.attempts, message: reason, metadata: { code: 'released' } },
    })

  /** The end of a task that will not be tried again: failed, with its dead letter. */
  const fail = (leased: Leased, error: TaskError, when: Transition['when'] = {}) => {
    const eventId = ids.next('evt')
    const completedAt = iso(clock.now())
    const { id, attempts: attempt } = leased
    const letter = deadLetterOf({ ...leased, id, error, completedAt }, eventId)
    const event = { attempt, message: error.message, metadata: { code: error.code } }
    return applyLeased(leased, { verb: 'fail', when, set: { error, completedAt }, event, eventId }, [letter])
  }

  /** Takes a task from a worker whose lease ran out, its attempt counted, and only if the lease is still that one. */
  const recover = async (row: TaskRow): Promise<void> => {
    const message = `The worker of attempt ${row.attempts} stopped without a word`
    const error = { code: 'worker_lost', message }
    const when = row.leaseExpiresAt === undefined ? {} : { leaseExpiresAt: row.leaseExpiresAt }
    if (row.attempts >= row.maxAttempts) return void (await fail(row, error, when))
    const event = { attempt: row.attempts, message, metadata: { code: error.code } }
    await applyLeased(row, { verb: 'recover', when, set: { error }, unset: ['checkpoint'], event })
  }

  /**
   * Fails a task whose message the queue gave up on before any worker could claim it, with its dead letter. Resolves to
   * false when the task does not wait for that message.
   */
  const markUndeliverable = async ({ taskId, attempt }: RunTask, error: TaskError): Promise<boolean> => {
    const row = await store.get(tasks, taskId)
    if (row?.status !== 'queued' || row.attempts !== attempt - 1) return false
    const eventId = ids.next('evt')
    const completedAt = iso(clock.now())
    const { applied } = await transitions.apply(
      {
        taskId,
        from: 'queued',
        verb: 'undeliverable',
        when: { attempts: attempt - 1 },
        set: { error, completedAt },
        unset: ['nextAttemptAt', 'sentAgainAt'],
        event: { message: error.message, metadata: { code: error.code } },
        eventId,
      },
      [deadLetterOf({ ...row, error, completedAt }, eventId)],
    )
    return applied
  }

  return { claim, renew, isLeased, succeed, retry, release, suspend, fail, recover, markUndeliverable }
}

/** What an agent says it spent, where it says so in the form that tasks show. */
const usageOf = ({ usage }: TaskResult) => {
  if (usage === undefined) return {}
  const { data } = TokenUsageSchema.safeParse(usage)
  return data ? { usage: data } : {}
}
