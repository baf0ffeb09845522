import { missing, Problem } from '../core/errors.ts'
import type { Follower, Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import { deadLetters } from './rows.ts'
import type { DlqItem } from './schema.ts'

/** Queues a failed task again: `writes` go with the write that closes its dead letter, `send` comes after. */
export type Redrive = {
  /** The task and, where storage may have closed a dead letter without it, the event that it is failed by. */
  find(taskId: string): Promise<{ task: Task; failedBy: string | undefined } | undefined>
  writes(task: Task): readonly Follower[]
  /** Sends a task that was failed `before`. Rejects only where it is known to be so still: then it is to be asked for again. */
  send(before: Task): Promise<Task>
  /** Sends a task once more that waits for its message. Rejects when the queue does not take it. */
  sendAgain(task: Task): Promise<Task>
}

type Needs = {
  store: Store
  redrive: Redrive
  /** Only a pending item can be closed. */
  close(id: string, status: 'resolved', followers?: readonly Follower[]): Promise<DlqItem>
}

/** Puts the task of a dead letter back on its way, and resolves the letter. */
export const createRetry = ({ store, redrive, close }: Needs) => {
  const letterAt = async (id: string): Promise<DlqItem> => {
    const letter = await store.get(deadLetters, id)
    if (letter === undefined) throw missing('Dead letter')
    return letter
  }

  /** A dead letter and its task; the letter as it is after that was read, since a retry closes it before it moves the task. */
  const standing = async (id: string) => {
    const found = await redrive.find((await letterAt(id)).taskId)
    // A message that named no task leaves a dead letter that can only be discarded.
    if (found === undefined) throw missing('Task')
    const { task, failedBy } = found
    return { letter: await letterAt(id), task, own: failedBy && letterOf(failedBy) }
  }

  /** Sent before the letter is closed, since nobody would make up for it after; one too many finds nothing to do. */
  const resend = async (id: string, waiting: Task) => {
    const task = await redrive.sendAgain(waiting)
    return { item: await close(id, 'resolved'), task }
  }

  /**
   * A failed task is queued again with its attempts back at 0, one that waits for the message that became the letter as
   * it is. Goes on with a retry that ended before it moved the task. Throws Problem `task_state_conflict` when the task
   * has gone on without that message.
   */
  return async (id: string): Promise<{ item: DlqItem; task: Task }> => {
    const { letter, task, own } = await standing(id)
    if (letter.status === 'resolved' && id === own) return { item: letter, task: await redrive.send(task) }
    if (letter.status !== 'pending') throw notPending(letter)
    if (task.status === 'pending' || task.status === 'queued') return resend(id, task)
    // Its failure has a dead letter of its own, which alone may decide about it.
    if (task.status !== 'failed' || (own !== undefined && own !== id)) throw overtaken(task)
    return { item: await close(id, 'resolved', redrive.writes(task)), task: await redrive.send(task) }
  }
}

/** The dead letter of a failure, by the event of that: the identifiers have one ULID. */
export const letterOf = (eventId: string): string => `dlq${eventId.slice(eventId.indexOf('_'))}`

export const notPending = ({ status }: DlqItem) =>
  new Problem(
    'invalid',
    'dead_letter_not_pending',
    `Only a pending dead letter can be decided; this one is ${status}`,
  )

const overtaken = ({ status }: Task) =>
  new Problem(
    'invalid',
    'task_state_conflict',
    `The task has gone on without this message, and is ${status}: discard this dead letter`,
  )
