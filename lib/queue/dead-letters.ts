import * as z from 'zod'
import type { DlqSelection } from '../bulk/schema.ts'
import { missing, Problem } from '../core/errors.ts'
import { failureGroupOf } from '../core/failure-group.ts'
import { pageFacts, rangeOf, totalOf } from '../core/page.ts'
import { pagesOf } from '../core/pages.ts'
import type { Actor } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import { ulidOf } from '../core/ulid.ts'
import type { Clock } from '../ports/clock.ts'
import type { AnyWrite, Insert, Store, Test, Update } from '../ports/store.ts'
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

/** A dead letter of a selection, and its task. */
type Selected = Pick<DlqItem, 'id' | 'taskId'>

/** Rows of a selection that are read at once. */
const PAGE = 500

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
      ...groupOf(task),
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
    const { status, fingerprint } = query
    if (fingerprint !== undefined) return listGroup({ ...query, fingerprint })
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

  const listGroup = async (query: z.output<typeof ListDlqQuery> & { fingerprint: string }) => {
    const { status, fingerprint } = query
    const scope = `dlq:${status}:${fingerprint}`
    const selection = selectionOf({ fingerprint, ...(status === 'all' ? {} : { status: [status] }) })
    const page = await store.page(deadLetters, { ...selection, ...rangeOf(query, scope), total: true })
    return { items: page.rows, ...pageFacts(page, page.total ?? 0, query, scope) }
  }

  /** How many dead letters a selection has, and the newest of them. Throws as `ids` does. */
  const preview = async (selection: DlqSelection, sample: number) => {
    const most = Math.min(sample, selection.limit ?? sample)
    const query = { ...selectionOf(waiting(selection)), limit: most, total: true }
    const { rows, total = 0 } = await store.page(deadLetters, query).catch(refuseBroad)
    return { rows, count: Math.min(total, selection.limit ?? total) }
  }

  /**
   * The dead letters of a selection, newest first, and no more of them than `most`. Throws Problem `selection_too_broad` where
   * storage cannot look through so many.
   */
  const select = async (selection: DlqSelection, most: number): Promise<Selected[]> => {
    const found: Selected[] = []
    const wanted = Math.min(most, selection.limit ?? most)
    const query = { ...selectionOf(waiting(selection)), limit: Math.min(wanted, PAGE) }
    for await (const rows of pagesOf((from) => store.page(deadLetters, { ...query, ...from }))) {
      found.push(...rows.map(({ id, taskId }) => ({ id, taskId })))
      if (found.length >= wanted) break
    }
    return found.slice(0, wanted)
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

  /**
   * Closes an item together with a write of its task and the rows `along`. Throws Problem `missing`, and `invalid` for one
   * that is not pending, or where a condition of the others fails.
   */
  const close = async (
    id: string,
    closed: Closing,
    along: readonly AnyWrite[],
    task?: { write: AnyWrite; status: string },
  ): Promise<DlqItem> => {
    const writes = task ? [task.write, ...along] : along
    const outcome = await store.commit<DlqItem>(closing(id, closed), writes)
    if (outcome.applied && outcome.row) return outcome.row
    if (!outcome.applied && outcome.refused > 0) throw stateConflict(task?.status)
    if (!outcome.row) throw missing('Dead letter')
    throw notPending(outcome.row)
  }

  /**
   * Queues the task of an item again: a failed one with its attempts back at 0, one that waits for the message that became
   * the item as it is. The rows `along` are written with it. Throws Problem `task_state_conflict` when the task has gone on
   * without that message, or a condition of `along` fails.
   */
  const retry = async (
    { userId: by }: Actor,
    id: string,
    trace?: Trace,
    along: readonly AnyWrite[] = [],
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
      return { item: await close(id, closed, along), task: await read() }
    }
    // Its failure has an item of its own, which alone may decide about it.
    const failure = await redrive.failureOf(task)
    if (task.status !== 'failed' || (failure !== undefined && letterOf(failure) !== id))
      throw stateConflict(task.status)
    const item = await close(id, closed, along, {
      write: redrive.writeOf(task, trace),
      status: task.status,
    })
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
    find: (id: string): Promise<DlqItem | undefined> => store.get(deadLetters, id),
    list,
    preview,
    select: (selection: DlqSelection, most: number) => select(selection, most).catch(refuseBroad),
    countAll,
    retry,
    /** Leaves the task of an item failed. Throws as `retry` does. */
    discard: (id: string, along: readonly AnyWrite[] = []): Promise<DlqItem> =>
      close(id, { status: 'discarded' }, along),
  }
}

/** A job decides about dead letters that wait, unless it is asked for others. */
const waiting = (selection: DlqSelection): DlqSelection => ({ status: ['pending'], ...selection })

/** The narrowest index for a selection, and what else its rows have to be. */
const selectionOf = ({ status, fingerprint, agent, createdAfter, createdBefore }: DlqSelection) => {
  const from = createdAfter === undefined ? {} : { from: createdAfter }
  const to = createdBefore === undefined ? {} : { to: createdBefore }
  const [only, ...others] = status ?? []
  const byStatus: Test<DlqItem>[] = status === undefined ? [] : [{ field: 'status', in: status }]
  const where: Test<DlqItem>[] = [
    ...(agent === undefined ? [] : [{ field: 'agent' as const, in: agent }]),
    ...((createdAfter ?? createdBefore) ? [{ field: 'createdAt' as const, ...from, ...to }] : []),
  ]
  const order = 'desc' as const
  if (fingerprint !== undefined)
    return { index: 'byFingerprint', is: fingerprint, where: [...byStatus, ...where], order }
  return only !== undefined && others.length === 0
    ? { index: 'byStatus', is: only, where, order }
    : { index: 'newest', where: [...byStatus, ...where], order }
}

/** Says in the words of the request what storage says in its own. */
const refuseBroad = (thrown: unknown): never => {
  if (!(thrown instanceof Problem) || thrown.code !== 'selection_too_broad') throw thrown
  throw new Problem(thrown.kind, thrown.code, TOO_BROAD, { cause: thrown })
}

const TOO_BROAD =
  'Too many dead letters would have to be looked through; narrow the selection by createdAfter or createdBefore'

const groupOf = ({ agent, error }: Task): Pick<DlqItem, 'code' | 'agent' | 'fingerprint'> =>
  error === undefined
    ? { agent }
    : { code: error.code, agent, fingerprint: failureGroupOf({ ...error, agent }) }

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

const LONGEST = 200

/** Where messages of every version so far name their task, by an id as tasks may have it. */
const NamesTask = z.object({
  body: z.object({ taskId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/) }),
})

/** What a message leaves that could not be read: why, how it began, and its task where that can be made out. */
export const poisonLetter = ({ id, reason, text }: { id: string; reason: string; text: string }) => ({
  messageId: id,
  taskId: taskIn(text) ?? 'unknown',
  reason: `${reason}: ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`,
})

const taskIn = (text: string): string | undefined => {
  try {
    return NamesTask.safeParse(JSON.parse(text)).data?.body.taskId
  } catch {
    return undefined
  }
}
