import * as z from 'zod'
import type { DlqSelection } from '../bulk/schema.ts'
import { readCounter } from '../core/collection.ts'
import { shortenedText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import { existing, Problem, withTooBroad } from '../core/errors.ts'
import { failureFingerprint } from '../core/failure-group.ts'
import { countedPage, createSelection, pageFacts, pageRange } from '../core/page.ts'
import type { Actor } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import { ulidIn } from '../core/ulid.ts'
import type { Clock } from '../ports/clock.ts'
import type { AnyWrite, Insert, Store, Test, Update } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import type { ListDlqQuery } from './contract.ts'
import { DEAD_LETTER_COUNTERS, deadLetters, UNDELIVERED_MESSAGE } from './rows.ts'
import type { DlqCounts, DlqItem, Resolution } from './schema.ts'

/** A message that no task could be failed for, by the queue's id (a UUID) or the ULID of the task that it names. */
type Undelivered = { messageId: string; taskId: string; reason: string }

/** The request for a retry, and the bulk job that it is part of. */
type RetryCause = { trace?: Trace | undefined; bulkJobId?: string | undefined }

/** The verbs of tasks that the dead letter queue calls. */
type Redrive = {
  find(taskId: string): Promise<Task | undefined>
  /** The id of the event with which a task failed; undefined for a task that has not failed. */
  failureEventId(task: Task): Promise<string | undefined>
  /** Commits as storage does, and logs the change of the task. */
  commit: Store['commit']
  /** The write that queues a failed task again, with its attempts at 0. */
  retryWrite(task: Task, cause: RetryCause): AnyWrite
  /** The write that makes a task that still waits count for a bulk job. */
  bulkJoinWrite(task: Task, bulkJobId: string): AnyWrite
  /** Repeats the message of a queued task. Rejects with Problem `unavailable` when the queue does not accept it. */
  sendAgain(task: Task): Promise<void>
}

type Needs = { store: Store; redrive: Redrive; clock: Clock }
type Closing = Pick<DlqItem, 'resolution'> & { status: 'resolved' | 'discarded' }

export type DeadLetters = ReturnType<typeof createDeadLetters>

/** The dead letter of a failure has the ULID of the failure's event. */
const toDeadLetterId = (eventId: string): string => `dlq_${ulidIn(eventId)}`

/** The dead letter queue: tasks that failed and have no attempts left, until a user retries or discards them. */
export const createDeadLetters = ({ store, redrive, clock }: Needs) => {
  /** The dead letter of a failed task, for the commit of the failure. */
  const deadLetterInsert = (task: Task, eventId: string): Insert<DlqItem> => ({
    insert: deadLetters,
    row: {
      id: toDeadLetterId(eventId),
      taskId: task.id,
      title: task.title,
      attempts: task.attempts,
      lastError: task.error?.message ?? 'unknown',
      createdAt: task.completedAt ?? iso(clock.now()),
      status: 'pending',
      createdBy: task.createdBy,
      ...failureGroupFields(task),
    },
  })

  /** Adds a dead letter for a message without a task, by the id of the message: repeated deliveries add one. */
  const addMessage = async ({ messageId, taskId, reason }: Undelivered): Promise<void> => {
    const row: DlqItem = {
      id: `dlq_${messageId.replaceAll('-', '').toUpperCase()}`,
      taskId,
      title: UNDELIVERED_MESSAGE,
      attempts: 0,
      lastError: reason,
      createdAt: iso(clock.now()),
      status: 'pending',
    }
    await store.commit({ insert: deadLetters, row })
  }

  const list = async (query: z.output<typeof ListDlqQuery>) => {
    const { status, fingerprint } = query
    const selection = selectionQuery({ fingerprint, status: status === 'all' ? undefined : [status] })
    const scope = fingerprint === undefined ? `dlq:${status}` : `dlq:${status}:${fingerprint}`
    if (fingerprint !== undefined) {
      const page = await store.page(deadLetters, { ...selection, ...pageRange(query, scope), total: true })
      return { items: page.rows, ...pageFacts(page, page.total ?? 0, query, scope) }
    }
    const { rows, facts } = await countedPage(query, scope, {
      page: (range) => store.page(deadLetters, { ...selection, ...range }),
      count: async () => (await countAll())[status === 'all' ? 'total' : status],
    })
    return { items: rows, ...facts }
  }

  const countAll = async (): Promise<DlqCounts> => {
    const counts = await readCounter(store, DEAD_LETTER_COUNTERS.counter)
    return { pending: 0, resolved: 0, discarded: 0, total: 0, ...counts }
  }

  /** Only a pending item can be closed, so one of several concurrent decisions takes effect. */
  const closing = (id: string, closed: Closing): Update<DlqItem> => ({
    update: deadLetters,
    key: id,
    when: { status: 'pending' },
    set: { ...closed, resolvedAt: iso(clock.now()) },
  })

  /** Closes an item with a write of its task. Throws Problem `missing`, and `invalid` when a condition fails. */
  const close = async (
    id: string,
    closed: Closing,
    along: readonly AnyWrite[],
    task?: { write: AnyWrite; status: string },
  ): Promise<DlqItem> => {
    const writes = task ? [task.write, ...along] : along
    const outcome = await redrive.commit<DlqItem>(closing(id, closed), writes)
    if (!outcome.applied && outcome.refused > 0) throw stateConflict(task?.status)
    const row = existing(outcome.row, 'Dead letter')
    if (!outcome.applied) throw notPending(row)
    return row
  }

  /**
   * Queues the task of an item again: a failed task with its attempts at 0; a task that still waits for the lost
   * message unchanged. The same commit writes the rows `along`. Throws Problem `task_state_conflict` when the task
   * went on without that message, or when a condition of `along` fails.
   */
  const retry = async (
    { userId: by }: Actor,
    id: string,
    cause: RetryCause = {},
    along: readonly AnyWrite[] = [],
  ): Promise<{ item: DlqItem; task: Task }> => {
    const letter = existing(await store.get(deadLetters, id), 'Dead letter')
    // The dead letter of a message without a task can only be discarded.
    const task = existing(await redrive.find(letter.taskId), 'Task')
    if (letter.status !== 'pending') throw notPending(letter)
    const closed: Closing = { status: 'resolved', resolution: { by, taskId: task.id } }
    const presentTask = async () => (await redrive.find(task.id)) ?? task
    if (task.status === 'pending' || task.status === 'queued') {
      // The message is sent before the item is closed: after a death in between, the open item allows another try.
      await redrive.sendAgain(task)
      const { bulkJobId } = cause
      const join = bulkJobId
        ? { write: redrive.bulkJoinWrite(task, bulkJobId), status: task.status }
        : undefined
      return { item: await close(id, closed, along, join), task: await presentTask() }
    }
    // The task's failure has a dead letter of its own, which alone decides about it.
    const failure = await redrive.failureEventId(task)
    if (task.status !== 'failed' || (failure !== undefined && toDeadLetterId(failure) !== id))
      throw stateConflict(task.status)
    const write = redrive.retryWrite(task, cause)
    return { item: await close(id, closed, along, { write, status: task.status }), task: await presentTask() }
  }

  /** The write that resolves the pending dead letter of a failure; undefined where there is none. */
  const resolving = async (eventId: string, resolution: Resolution): Promise<AnyWrite | undefined> => {
    const letter = await store.get(deadLetters, toDeadLetterId(eventId))
    return letter?.status === 'pending' ? closing(letter.id, { status: 'resolved', resolution }) : undefined
  }

  return {
    deadLetterInsert,
    resolving,
    addMessage,
    find: (id: string): Promise<DlqItem | undefined> => store.get(deadLetters, id),
    list,
    /** Newest first; both verbs throw Problem `selection_too_broad`. */
    selection: createSelection(
      // It covers pending dead letters, unless it names other states.
      (selection: DlqSelection) => ({
        ...selectionQuery({ status: ['pending'], ...selection }),
        limit: selection.limit,
      }),
      (query) => store.page(deadLetters, query).catch(tooBroad),
      ({ id, taskId }) => ({ id, taskId }),
    ),
    countAll,
    retry,
    /** Closes an item and leaves its task failed. Throws as `retry` does. */
    discard: (id: string, along: readonly AnyWrite[] = []): Promise<DlqItem> =>
      close(id, { status: 'discarded' }, along),
  }
}

/** The narrowest index for a selection, and the conditions that its rows must meet besides. */
const selectionQuery = (selection: DlqSelection) => {
  const { status, fingerprint, agent, createdAfter: from, createdBefore: to } = selection
  const [only, ...others] = status ?? []
  const byStatus: Test<DlqItem>[] = status === undefined ? [] : [{ field: 'status', in: status }]
  const where: Test<DlqItem>[] = [
    ...(agent === undefined ? [] : [{ field: 'agent' as const, in: agent }]),
    ...((from ?? to) ? [{ field: 'createdAt' as const, ...definedFields({ from, to }) }] : []),
  ]
  const order = 'desc' as const
  if (fingerprint !== undefined)
    return { index: 'byFingerprint', is: fingerprint, where: [...byStatus, ...where], order }
  return only !== undefined && others.length === 0
    ? { index: 'byStatus', is: only, where, order }
    : { index: 'newest', where: [...byStatus, ...where], order }
}

const tooBroad = withTooBroad('This selection is too large. Narrow it by createdAfter or createdBefore')

const failureGroupFields = ({ agent, error }: Task): Pick<DlqItem, 'code' | 'agent' | 'fingerprint'> =>
  error === undefined
    ? { agent }
    : { code: error.code, agent, fingerprint: failureFingerprint({ ...error, agent }) }

const notPending = ({ status }: DlqItem) =>
  new Problem('invalid', 'dead_letter_not_pending', `This dead letter is already ${status}`)

const stateConflict = (status = 'no longer failed') =>
  new Problem(
    'invalid',
    'task_state_conflict',
    `The task continued and is ${status}. Discard this dead letter`,
  )

const LONGEST = 200

/** The field of a message that names its task, in every version so far, with an id that tasks may have. */
const NamesTask = z.object({
  body: z.object({ taskId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/) }),
})

/** The dead letter of an unreadable message: the reason, the beginning of the text, and the task that it names. */
export const poisonLetter = ({ id, reason, text }: { id: string; reason: string; text: string }) => ({
  messageId: id,
  taskId: taskIn(text) ?? 'unknown',
  reason: `${reason}: ${shortenedText(text, LONGEST)}`,
})

const taskIn = (text: string): string | undefined => {
  try {
    return NamesTask.safeParse(JSON.parse(text)).data?.body.taskId
  } catch {
    return undefined
  }
}
