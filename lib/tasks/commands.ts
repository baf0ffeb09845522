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
import {
  type CreateTask,
  publicTask,
  TASK_DEFINITION,
  type Task,
  type TaskRow,
  toThreadId,
} from './schema.ts'
import { type createThreads, whileLast } from './thread.ts'
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
  threads: Pick<ReturnType<typeof createThreads>, 'latestTurn'>
  resolveDeadLetter: ResolveDeadLetter
  /** Stops the run of a cancelled task, if this process runs it. */
  stopRun: (taskId: string) => void
  clock: Clock
}

/** The commands of people on existing tasks: cancel, retry as a new task, watch. */
export const createTaskCommands = (needs: Needs) => {
  const { store, transitions, reads, creation, threads, resolveDeadLetter, stopRun, clock } = needs

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
    if (!isCancelled) throw conflict(`The task is already ${row.status}`)
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

  /** The write that resolves the dead letter of a failed task; undefined where none is pending. */
  const resolvingFailure = async (
    task: Pick<Task, 'id' | 'status'>,
    resolution: { by: string; taskId: string },
  ): Promise<AnyWrite | undefined> => {
    const eventId = await failureEventId(task)
    return eventId === undefined ? undefined : resolveDeadLetter(eventId, resolution)
  }

  /** By the creation of the latest retry. A new task that is gone was created long before. */
  const isRetriedSince = async ({ retriedBy }: TaskRow, since: string): Promise<boolean> => {
    if (retriedBy === undefined) return false
    if (since === '') return true
    const latest = await store.get(tasks, retriedBy)
    return latest !== undefined && latest.createdAt >= since
  }

  /**
   * Creates a new task with the definition of one that has ended; that of a reply becomes the last turn of its thread. The same commit resolves the pending dead letter of
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
    refuseLost(row, TASK_DEFINITION, 'The task cannot be retried')
    const body = taskDefinition(row)
    const latest = await lastTurn(row)
    const more = { retriedFrom: id, trace, bulkJobId, ...(row.watched && { watched: row.watched }) }
    const line = latest && {
      threadId: toThreadId(latest),
      parentId: latest.id,
      agent: row.agent,
      ...definedFields({ home: latest.runner }),
    }
    const { task, write, rows } = await creation.draft(principal, body, { ...more, ...line })
    await creation.checkRepository(principal, body)
    const letter = await resolvingFailure(row, { by: principal.userId, taskId: task.id })
    const all = [...retriedWrites(row, task, latest, principal), ...rows, ...along]
    if (letter && (await transitions.commit<TaskRow>(write, [...all, letter])).applied) return task
    // There is no dead letter, or another request decided about it after the read.
    if (!(await transitions.commit<TaskRow>(write, all)).applied) throw changedMeanwhile()
    return task
  }

  /** The last turn of a reply's thread, which has to have ended; undefined for a task that begins a thread. */
  const lastTurn = async (row: TaskRow): Promise<TaskRow | undefined> => {
    if (row.parentId === undefined) return undefined
    const latest = await threads.latestTurn(row)
    if (!isFinal(latest.status)) throw notOver(latest)
    return latest
  }

  /** What a retry changes of the task that it runs again, and of the last turn of its thread. */
  const retriedWrites = (row: TaskRow, task: Task, latest: TaskRow | undefined, principal: Principal) => {
    const event = transitions.event('retried', {
      message: `by ${principal.userId}`,
      // The code distinguishes it from a redrive, which queues this same task.
      metadata: { code: 'run_as_new', taskId: task.id },
    })
    // A task that was queued or retried again meanwhile would run twice.
    const own = { status: row.status, retriedBy: row.retriedBy ?? null }
    const retried = { update: tasks, key: row.id, when: own, set: { retriedBy: task.id }, log: [event] }
    if (latest === undefined) return [retried]
    const last = whileLast(latest, { nextTurnId: task.id })
    if (latest.id !== row.id) return [retried, last]
    return [{ ...retried, when: { ...last.when, ...own }, set: { ...last.set, ...retried.set } }]
  }

  return { allows, cancel, cancelWaiting, retry, failureEventId, resolvingFailure }
}

/** The writes of a retried dead letter's task, for a commit with the dead letter. */
export const createRedrive = ({ transitions, clock }: Pick<Needs, 'transitions' | 'clock'>) => ({
  /** Queues a failed task again, with its attempts at 0; applies to this failure only. */
  retryWrite: (
    { id, completedAt, cost }: Task,
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
        ...definedFields({ trace, bulkJobId, costBefore: cost?.usd ?? undefined }),
      },
      unset: [
        'error',
        'result',
        'usage',
        'completedAt',
        'startedAt',
        'refusals',
        'waitingMs',
        ...(bulkJobId ? [] : BULK_JOB),
      ],
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
export const taskDefinition = (row: TaskRow): CreateTask =>
  definedFields(Object.fromEntries(TASK_DEFINITION.map((field) => [field, row[field]]))) as CreateTask

const conflict = (message: string) => new Problem('invalid', 'task_state_conflict', message)

const changedMeanwhile = () => conflict('The task has just changed. Try again')

const retriedBefore = ({ retriedBy }: TaskRow) =>
  conflict(`The task was already retried as ${retriedBy}. To run it again, retry it on its own`)

const notOver = ({ status }: TaskRow) =>
  conflict(`Only an ended task can be retried, and this one is ${status}. Cancel it, or wait for it to end`)
