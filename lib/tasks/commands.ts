import { definedFields } from '../core/defined-fields.ts'
import { existing, Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import { refuseLost } from '../core/truncated.ts'
import type { Clock } from '../ports/clock.ts'
import type { AnyWrite, Store, Update } from '../ports/store.ts'
import type { TaskCreation } from './create.ts'
import { WAIT_FIELDS, waitedUntil } from './lease.ts'
import { isFinal, nextStatus, type TaskStatus } from './machine.ts'
import type { createTaskReads } from './read.ts'
import { tasks } from './rows.ts'
import { type CreateTask, publicTask, TASK_DEFINITION, type Task, type TaskRow } from './schema.ts'
import type { Transitions } from './transitions.ts'

/** The write that resolves the dead letter of a failure, by its event's id; undefined where none is pending. */
type ResolveDeadLetter = (
  eventId: string,
  resolution: { by: string; taskId: string },
) => Promise<AnyWrite | undefined>

/** Rows of the same commit as a retry, the time since which the task must not have been retried, and the job of the retry. */
type RetryInBulk = {
  along?: readonly AnyWrite[]
  since?: string | undefined
  bulkJobId?: string | undefined
}

type Needs = {
  store: Store
  transitions: Transitions
  reads: ReturnType<typeof createTaskReads>
  creation: TaskCreation
  resolveDeadLetter: ResolveDeadLetter
  /** Stops the run of a cancelled task, if this process runs it. */
  stopRun: (taskId: string) => void
  clock: Clock
}

/** The commands of people on existing tasks: cancel, retry as a new task, watch. */
export const createTaskCommands = (needs: Needs) => {
  const { store, transitions, reads, creation, resolveDeadLetter, stopRun, clock } = needs

  /** Cancels a task, together with `rows`, while `mayBe` accepts its status. */
  const cancelWhile = async (
    principal: Principal,
    id: string,
    mayBe: (status: TaskStatus) => boolean,
    rows: readonly AnyWrite[] = [],
  ) => {
    let row = await reads.load(id)
    // Each change that wins against this write is progress of the task.
    while (mayBe(row.status)) {
      const outcome = await transitions.apply(
        {
          taskId: id,
          from: row.status,
          verb: 'cancel',
          // `waitedUntil` ends the wait that was read: a later claim would have begun another one.
          when: { fence: row.fence },
          set: { completedAt: iso(clock.now()), ...waitedUntil(row, clock.now()) },
          unset: ['leaseExpiresAt', 'nextAttemptAt', 'sentAgainAt', 'checkpoint', ...WAIT_FIELDS],
          event: {
            ...(row.status === 'in_progress' ? { attempt: row.attempts } : {}),
            message: `by ${principal.userId}`,
          },
        },
        rows,
      )
      if (!outcome.applied && outcome.refused > 0) throw changedMeanwhile()
      row = existing(outcome.row, 'Task')
      if (!outcome.applied) continue
      stopRun(id)
      return { row, isCancelled: true }
    }
    return { row, isCancelled: false }
  }

  /**
   * Cancels a task that has not ended, together with `rows` or not at all. Throws Problem `task_state_conflict` when the
   * task has ended, and when a condition of `rows` fails.
   */
  const cancel = async (principal: Principal, id: string, rows: readonly AnyWrite[] = []): Promise<Task> => {
    const { row, isCancelled } = await cancelWhile(principal, id, (status) => allows(status, 'cancel'), rows)
    if (!isCancelled) throw conflict(`A task that is ${row.status} cannot be cancelled`)
    return publicTask(row)
  }

  /** Cancels a task that waits for its first or its next attempt; resolves to undefined for any other task. */
  const cancelWaiting = async (principal: Principal, id: string): Promise<Task | undefined> => {
    const { row, isCancelled } = await cancelWhile(principal, id, (status) => WAITING.has(status))
    return isCancelled ? publicTask(row) : undefined
  }

  /** The id of the event with which a task failed. After more than `MOST_RETRIES` retries none is pending. */
  const failureEventId = async ({ id, status }: Pick<Task, 'id' | 'status'>): Promise<string | undefined> => {
    if (status !== 'failed') return undefined
    for (const newest of [1, MOST_RETRIES]) {
      const failure = (await store.log(tasks, id, { newest })).find(({ type }) => type === 'failed')
      if (failure) return failure.id
    }
    return undefined
  }

  /** By the creation of the latest retry. A new task that is gone was created long before. */
  const isRetriedSince = async ({ retriedBy }: TaskRow, since: string): Promise<boolean> => {
    if (retriedBy === undefined) return false
    if (since === '') return true
    const latest = await store.get(tasks, retriedBy)
    return latest !== undefined && latest.createdAt >= since
  }

  /**
   * Creates a new task with the definition of one that has ended. The same commit resolves the pending dead letter of
   * a failed task and writes the rows `along`. Throws Problem `task_state_conflict` for a task that has not ended,
   * that another request retries at the same time or that was retried `since` a time (ISO 8601, empty for ever), and
   * when a condition of `along` fails.
   */
  const retry = async (
    principal: Principal,
    id: string,
    trace?: Trace,
    { along = [], since, bulkJobId }: RetryInBulk = {},
  ): Promise<Task> => {
    const row = await reads.load(id)
    if (!allows(row.status, 'retry')) throw notOver(row)
    if (since !== undefined && (await isRetriedSince(row, since))) throw retriedBefore(row)
    refuseLost(row, TASK_DEFINITION, 'The task cannot be run again')
    const body = taskDefinition(row)
    const more = { retriedFrom: id, trace, bulkJobId, ...(row.watched && { watched: row.watched }) }
    const { task, write, rows } = await creation.draft(principal, body, more)
    await creation.checkRepository(principal, body)
    const logged: Update<TaskRow> = {
      update: tasks,
      key: id,
      // A task that was queued or retried again meanwhile would run twice.
      when: { status: row.status, retriedBy: row.retriedBy ?? null },
      set: { retriedBy: task.id },
      // The code distinguishes it from a redrive, which queues this same task.
      log: [
        transitions.event('retried', {
          message: `by ${principal.userId}`,
          metadata: { code: 'run_as_new', taskId: task.id },
        }),
      ],
    }
    const eventId = await failureEventId(row)
    const letter = eventId && (await resolveDeadLetter(eventId, { by: principal.userId, taskId: task.id }))
    const all = [logged, ...rows, ...along]
    if (letter && (await transitions.commit<TaskRow>(write, [...all, letter])).applied) return task
    // There is no dead letter, or another request decided about it after the read.
    if (!(await transitions.commit<TaskRow>(write, all)).applied) throw changedMeanwhile()
    return task
  }

  return { allows, cancel, cancelWaiting, retry, failureEventId }
}

/** The writes of a retried dead letter's task, for a commit with the dead letter. */
export const createRedrive = ({ transitions, clock }: Pick<Needs, 'transitions' | 'clock'>) => ({
  /** Queues a failed task again, with its attempts at 0; applies to this failure only. */
  retryWrite: (
    { id, completedAt }: Task,
    { trace, bulkJobId }: { trace?: Trace | undefined; bulkJobId?: string | undefined } = {},
  ): Update<TaskRow> =>
    transitions.toWrite({
      taskId: id,
      from: 'failed',
      verb: 'redrive',
      when: { completedAt: completedAt ?? null },
      set: {
        attempts: 0,
        queuedAt: iso(clock.now()),
        ...definedFields({ trace, bulkJobId }),
      },
      unset: ['error', 'completedAt', 'startedAt', 'refusals', 'waitingMs', ...(bulkJobId ? [] : BULK_JOB)],
    }),

  /** Makes a task that still waits count for a bulk job; applies while it waits. */
  bulkJoinWrite: ({ id, status }: Task, bulkJobId: string): Update<TaskRow> => ({
    update: tasks,
    key: id,
    when: { status },
    set: { bulkJobId },
  }),
})

const allows = (status: TaskStatus, command: 'cancel' | 'retry'): boolean =>
  command === 'cancel' ? nextStatus(status, 'cancel') !== undefined : isFinal(status)

/** The entries of a log among which its latest failure is looked for. */
const MOST_RETRIES = 100

const WAITING: ReadonlySet<TaskStatus> = new Set(['pending', 'queued'])

const BULK_JOB = ['bulkJobId'] as const

/** The stored definition, not validated again: the rules may have become stricter since the create. */
const taskDefinition = (row: TaskRow): CreateTask =>
  definedFields(Object.fromEntries(TASK_DEFINITION.map((field) => [field, row[field]]))) as CreateTask

const conflict = (message: string) => new Problem('invalid', 'task_state_conflict', message)

const changedMeanwhile = () => conflict('The task has changed meanwhile; send the request again')

const retriedBefore = ({ retriedBy }: TaskRow) =>
  conflict(`The task was retried already, as ${retriedBy}; retry it by itself to run it once more`)

const notOver = ({ status }: TaskRow) =>
  conflict(`A task that is ${status} cannot be retried; cancel it first or wait for it to end`)
