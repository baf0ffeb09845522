import { missing, Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import type { Clock } from '../ports/clock.ts'
import type { AnyWrite, Store, Update } from '../ports/store.ts'
import type { TaskCreation } from './create.ts'
import { isFinal, nextStatus, TASK_STATUSES, type TaskStatus } from './machine.ts'
import type { createTaskReads } from './read.ts'
import { publicTask, tasks } from './rows.ts'
import { type CreateTask, CreateTaskSchema, type Task, type TaskRow } from './schema.ts'
import type { Transitions } from './transitions.ts'

/** Who retried a task, and the task that runs for it now. */
type Resolution = { by: string; taskId: string }

/** The dead letter of a failure, by the id of the failure's event, as a row of a commit that resolves it. */
export type ResolveDeadLetter = (eventId: string, resolution: Resolution) => Promise<AnyWrite | undefined>

type Needs = {
  store: Store
  transitions: Transitions
  reads: ReturnType<typeof createTaskReads>
  creation: TaskCreation
  resolveDeadLetter: ResolveDeadLetter
  /** Stops the run of a task that was cancelled, where it is one of this process. */
  stopRun: (taskId: string) => void
  clock: Clock
}

/** What people do with a task that exists: cancel it, run it again as a new one, or queue it again. */
export const createTaskCommands = (needs: Needs) => {
  const { store, transitions, reads, creation, resolveDeadLetter, stopRun, clock } = needs

  /** Cancels a task while it is in such a state, together with `rows`; answers the row, and whether that is done. */
  const cancelWhile = async (
    principal: Principal,
    id: string,
    mayBe: (status: TaskStatus) => boolean,
    rows: readonly AnyWrite[] = [],
  ) => {
    let row = await reads.load(id)
    // The state may change between the read and the write; every loss of that race is progress of the task.
    while (mayBe(row.status)) {
      const outcome = await transitions.apply(
        {
          taskId: id,
          from: row.status,
          verb: 'cancel',
          set: { completedAt: iso(clock.now()) },
          unset: ['leaseExpiresAt', 'nextAttemptAt', 'sentAgainAt', 'waitingFor', 'checkpoint'],
          event: {
            ...(row.status === 'in_progress' ? { attempt: row.attempts } : {}),
            message: `by ${principal.userId}`,
          },
        },
        rows,
      )
      if (!outcome.applied && outcome.refused > 0) throw changedMeanwhile()
      const { applied, row: found } = outcome
      if (!found) throw missing('Task')
      if (applied) {
        stopRun(id)
        return { row: found, isCancelled: true }
      }
      row = found
    }
    return { row, isCancelled: false }
  }

  /**
   * Cancels a task that has not ended, together with `rows` or not at all; a run of it is stopped. Throws
   * `task_state_conflict` when it has ended, and when a condition of `rows` fails.
   */
  const cancel = async (principal: Principal, id: string, rows: readonly AnyWrite[] = []): Promise<Task> => {
    const { row, isCancelled } = await cancelWhile(
      principal,
      id,
      (status) => nextStatus(status, 'cancel') !== undefined,
      rows,
    )
    if (!isCancelled) throw conflict(`A task that is ${row.status} cannot be cancelled`)
    return publicTask(row)
  }

  /** Cancels a task that no worker has begun, or that waits for another attempt; undefined for any other. */
  const cancelWaiting = async (principal: Principal, id: string): Promise<Task | undefined> => {
    const { row, isCancelled } = await cancelWhile(principal, id, (status) => WAITING.has(status))
    return isCancelled ? publicTask(row) : undefined
  }

  /** The id of the event by which a task has failed; undefined for one that has not. */
  const failureOf = async ({ id, status }: Pick<Task, 'id' | 'status'>): Promise<string | undefined> =>
    status === 'failed'
      ? (await store.log(tasks, id)).findLast(({ type }) => type === 'failed')?.id
      : undefined

  /**
   * Creates a new task with the same parameters as one that has ended; the pending dead letter of a failed one is resolved by
   * the same commit, which also has the rows `along`. Throws `task_state_conflict` for a task that has not ended, and when a
   * condition of `along` fails.
   */
  const retry = async (
    principal: Principal,
    id: string,
    trace?: Trace,
    along: readonly AnyWrite[] = [],
  ): Promise<Task> => {
    const row = await reads.load(id)
    if (!isFinal(row.status)) throw notOver(row)
    const body = definitionOf(row)
    const watched = row.watched ? ({ watched: true } as const) : {}
    const { task, write, rows } = creation.draft(principal, body, { retriedFrom: id, trace, ...watched })
    await creation.checkRepository(principal, body)
    const logged: Update<TaskRow> = {
      update: tasks,
      key: id,
      log: [transitions.event('retried', { message: `by ${principal.userId}` })],
    }
    const eventId = await failureOf(row)
    const letter = eventId && (await resolveDeadLetter(eventId, { by: principal.userId, taskId: task.id }))
    const all = [logged, ...rows, ...along]
    if (letter && (await store.commit<TaskRow>(write, [...all, letter])).applied) return task
    // There is no dead letter, or another request has decided about it since it was read.
    if (!(await store.commit<TaskRow>(write, all)).applied) throw changedMeanwhile()
    return task
  }

  /** Has a notice sent at the end of a task that has not ended; false when it has ended, or does not exist. */
  const watch = async (id: string): Promise<boolean> => {
    const unfinished = TASK_STATUSES.filter((status) => !isFinal(status))
    const change = { update: tasks, key: id, when: { status: unfinished }, set: { watched: true as const } }
    return (await store.commit<TaskRow>(change)).applied
  }

  return { cancel, cancelWaiting, retry, failureOf, watch }
}

/** How a failed task is queued again, its attempts back at 0; for a commit with its dead letter. */
export const createRedrive = ({ transitions, clock }: Pick<Needs, 'transitions' | 'clock'>) => ({
  /** The write; it applies to this failure and no later one, which has a dead letter of its own. */
  writeOf: ({ id, completedAt }: Task, trace?: Trace): Update<TaskRow> =>
    transitions.writeOf({
      taskId: id,
      from: 'failed',
      verb: 'redrive',
      when: { completedAt: completedAt ?? null },
      // A task of an earlier version does not say whether its end is watched; a notice without a receiver does nothing.
      set: { attempts: 0, queuedAt: iso(clock.now()), watched: true, ...(trace ? { trace } : {}) },
      unset: ['error', 'completedAt', 'startedAt'],
    }),
})

const WAITING: ReadonlySet<TaskStatus> = new Set(['pending', 'queued'])

const DEFINITION = CreateTaskSchema.keyof().options

/** What a task was created with, as it is stored: the rules of a create may have become stricter since. */
const definitionOf = (row: TaskRow): CreateTask => {
  const given = DEFINITION.filter((field) => row[field] !== undefined).map((field) => [field, row[field]])
  return Object.fromEntries(given) as CreateTask
}

const conflict = (message: string) => new Problem('invalid', 'task_state_conflict', message)

const changedMeanwhile = () => conflict('The task has changed meanwhile; send the request again')

const notOver = ({ status }: TaskRow) =>
  conflict(`A task that is ${status} cannot be retried; cancel it first or wait for it to end`)
