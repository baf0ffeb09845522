import type * as z from 'zod'
import { missing, Problem } from '../core/errors.ts'
import { pageFacts, rangeOf, totalOf } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import { ulidOf } from '../core/ulid.ts'
import type { Clock } from '../ports/clock.ts'
import type { AnyWrite, Insert, Store, Update } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import type { ListDlqQuery } from './contract.ts'
import { DEAD_LETTER_COUNTERS, deadLetters, UNDELIVERED_MESSAGE } from './rows.ts'
import type { DlqCounts, DlqItem, Resolution } from './schema.ts'

/** A message that did nothing; `messageId` is the queue's own name for it, a UUID, or the ULID of the task it names. */
type Undelivered = { messageId: string; taskId: string; reason: string }

/** What the dead letter queue needs of the tasks. */
type Redrive = {
  find(taskId: string): Promise<Task | undefined>
  /** The id of the event by which a task has failed; undefined for one that has not. */
  failureOf(task: Task): Promise<string | undefined>
  /** The write that queues a failed task again, its attempts back at 0. */
  /** `trace` is the request that asked for it. */
  writeOf(task: Task, trace?: Trace): AnyWrite
  /** Sends the message of a queued task once more. Rejects with Problem `unavailable` when the queue does not take it. */
  sendAgain(task: Task): Promise<void>
}

type Needs = { store: Store; redrive: Redrive; clock: Clock }
type Closing = Pick<DlqItem, 'resolution'> & { status: 'resolved' | 'discarded' }

export type DeadLetters = ReturnType<typeof createDeadLetters>

/** The dead letter of a failure has the ULID of the failure's event. */
const letterOf = (eventId: string): string => `dlq_${ulidOf(eventId)}`

/** The dead letter queue: tasks that failed for good, until a user retries or discards them. */
export const createDeadLetters = ({ store, redrive, clock }: Needs) => {
  /** The dead letter of a task that fails by an event, for the commit of the failure. */
  const deadLetterOf = (task: Task, eventId: string): Insert<DlqItem> => ({
    insert: deadLetters,
    row: {
      id: letterOf(eventId),
      taskId: task.id,
      title: task.title,
      attempts: task.attempts,
      lastError: task.error?.message ?? 'unknown',
      createdAt: task.completedAt ?? iso(clock.now()),
      status: 'pending',
    },
  })

  /**
   * Takes in a message that no task can be failed for: it says nothing that can be read, or names no task that exists.
   * Its dead letter has the identifier of the message, so however often the queue delivers that, there is one.
   */
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
    const { status } = query
    const scope = `dlq:${status}`
    const [page, counts] = await Promise.all([
      store.page(deadLetters, {
        ...(status === 'all' ? { index: 'newest' } : { index: 'byStatus', is: status }),
        order: 'desc',
        ...rangeOf(query, scope),
      }),
      countAll(),
    ])
    return {
      items: page.rows,
      ...pageFacts(page, totalOf(page, counts[status === 'all' ? 'total' : status], query), query, scope),
    }
  }

  const countAll = async (): Promise<DlqCounts> => {
    const { counter, member } = DEAD_LETTER_COUNTERS
    const {
      pending = 0,
      resolved = 0,
      discarded = 0,
      total = 0,
    } = (await store.counters(counter))[member] ?? {}
    return { pending, resolved, discarded, total }
  }

  /** Only a pending item can be closed, so of several decisions at once one takes effect. */
  const closing = (id: string, closed: Closing): Update<DlqItem> => ({
    update: deadLetters,
    key: id,
    when: { status: 'pending' },
    set: { ...closed, resolvedAt: iso(clock.now()) },
  })

  /** Closes an item together with a write of its task. Throws Problem `missing`, and `invalid` for one that is not pending. */
  const close = async (
    id: string,
    closed: Closing,
    task?: { write: AnyWrite; status: string },
  ): Promise<DlqItem> => {
    const outcome = await store.commit<DlqItem>(closing(id, closed), task ? [task.write] : [])
    if (outcome.applied && outcome.row) return outcome.row
    if (!outcome.applied && outcome.refused > 0) throw stateConflict(task?.status)
    if (!outcome.row) throw missing('Dead letter')
    throw notPending(outcome.row)
  }

  /**
   * Queues the task of an item again: a failed one with its attempts back at 0, one that waits for the message that became
   * the item as it is. Throws Problem `task_state_conflict` when the task has gone on without that message.
   */
  const retry = async (
    { userId: by }: Principal,
    id: string,
    trace?: Trace,
  ): Promise<{ item: DlqItem; task: Task }> => {
    const letter = await store.get(deadLetters, id)
    if (letter === undefined) throw missing('Dead letter')
    const task = await redrive.find(letter.taskId)
    // A message that named no task leaves a dead letter that can only be discarded.
    if (task === undefined) throw missing('Task')
    if (letter.status !== 'pending') throw notPending(letter)
    const closed: Closing = { status: 'resolved', resolution: { by, taskId: task.id } }
    const read = async () => (await redrive.find(task.id)) ?? task
    if (task.status === 'pending' || task.status === 'queued') {
      // Sent before the item is closed: a message that was not sent would not be sent later.
      await redrive.sendAgain(task)
      return { item: await close(id, closed), task: await read() }
    }
    // Its failure has an item of its own, which alone may decide about it.
    const failure = await redrive.failureOf(task)
    if (task.status !== 'failed' || (failure !== undefined && letterOf(failure) !== id))
      throw stateConflict(task.status)
    const item = await close(id, closed, { write: redrive.writeOf(task, trace), status: task.status })
    return { item, task: await read() }
  }

  /** The write that resolves the pending dead letter of a failure; undefined where there is none. */
  const resolving = async (eventId: string, resolution: Resolution): Promise<AnyWrite | undefined> => {
    const letter = await store.get(deadLetters, letterOf(eventId))
    return letter?.status === 'pending' ? closing(letter.id, { status: 'resolved', resolution }) : undefined
  }

  return {
    deadLetterOf,
    resolving,
    addMessage,
    list,
    countAll,
    retry,
    discard: (id: string): Promise<DlqItem> => close(id, { status: 'discarded' }),
  }
}

const notPending = ({ status }: DlqItem) =>
  new Problem(
    'invalid',
    'dead_letter_not_pending',
    `Only a pending dead letter can be decided; this one is ${status}`,
  )

const stateConflict = (status = 'no longer failed') =>
  new Problem(
    'invalid',
    'task_state_conflict',
    `The task has gone on without this message, and is ${status}: discard this dead letter`,
  )
