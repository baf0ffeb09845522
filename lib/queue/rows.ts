import { type Change, collection, type Increment, type LiveDraft, type Message } from '../core/collection.ts'
import { ulidOf } from '../core/ulid.ts'
import { type DlqItem, DlqItemSchema } from './schema.ts'

/** How many dead letters there are in each state, and in all. */
export const DEAD_LETTER_COUNTERS = { counter: 'dlq', member: 'all' } as const

const countsOf = ({ before, after }: Change<DlqItem>): Increment[] => {
  if (after === undefined || before?.status === after.status) return []
  const add = before ? { [before.status]: -1, [after.status]: 1 } : { [after.status]: 1, total: 1 }
  return [{ ...DEAD_LETTER_COUNTERS, add }]
}

/** The title of a dead letter that is of a message and of no task. */
export const UNDELIVERED_MESSAGE = 'A message that could not be delivered'

const LONGEST_TITLE = 300

/** A task that has failed for good is announced. A dead letter of a message is not. */
const sendsOf = ({ before, after }: Change<DlqItem>): Message[] => {
  if (before !== undefined || after === undefined || after.title === UNDELIVERED_MESSAGE) return []
  const { taskId, title, attempts, lastError, createdAt } = after
  const id = `ntf_${ulidOf(after.id)}`
  const notification = {
    ...{ id, type: 'task_failed', taskId, createdAt },
    title: `Task failed: ${title}`.slice(0, LONGEST_TITLE),
    message: `After ${attempts === 1 ? 'one attempt' : `${attempts} attempts`}: ${lastError}`,
  }
  return [{ to: 'notices', id, body: { kind: 'announce', notification } }]
}

/** A dead letter without why it failed, which may be long. */
const publishesOf = ({ before, after }: Change<DlqItem>): LiveDraft[] => {
  if (after === undefined) return before ? [{ type: 'dlq.removed', data: { id: before.id } }] : []
  const { id, taskId, title, attempts, createdAt, status } = after
  const data = { id, taskId, title, attempts, createdAt, status }
  return [{ type: before ? 'dlq.updated' : 'dlq.created', data }]
}

export const deadLetters = collection<DlqItem>({
  name: 'deadLetters',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, byStatus: { within: 'status', by: 'createdAt' } },
  summary: DlqItemSchema.keyof().options,
  counts: countsOf,
  recount: { index: 'newest' },
  sends: sendsOf,
  publishes: publishesOf,
})
