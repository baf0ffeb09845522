import {
  type Change,
  collection,
  DEFAULT_MEMBER,
  type Increment,
  type LiveDraft,
  type Message,
} from '../core/collection.ts'
import { cutText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import { ulidIn } from '../core/ulid.ts'
import { announcement } from '../notifications/schema.ts'
import { type DlqItem, DlqItemSchema } from './schema.ts'

/** The number of dead letters in each state, and in total. */
export const DEAD_LETTER_COUNTERS = { counter: 'dlq', member: DEFAULT_MEMBER } as const

/** The failures of each hour and group, and those whose dead letter is pending. Members sort by hour. */
export const FAILURE_COUNTERS = 'failures'
const HOUR = 'YYYY-MM-DDTHH'.length
export const failureMember = (at: string, fingerprint: string): string =>
  `${at.slice(0, HOUR)}/${fingerprint}`

/** The hour and the group of a member. */
export const partsOfMember = (member: string): { atMs: number; fingerprint: string } => ({
  atMs: Date.parse(`${member.slice(0, HOUR)}:00:00.000Z`),
  fingerprint: member.slice(HOUR + 1),
})

const letterIncrements = ({ before, after }: Change<DlqItem>): Increment[] => {
  if (after === undefined || before?.status === after.status) return []
  const add = before ? { [before.status]: -1, [after.status]: 1 } : { [after.status]: 1, total: 1 }
  return [{ ...DEAD_LETTER_COUNTERS, add }, ...groupIncrements(before, after)]
}

const groupIncrements = (before: DlqItem | undefined, letter: DlqItem): Increment[] => {
  const { fingerprint, createdAt, status } = letter
  if (fingerprint === undefined) return []
  const pending = Number(status === 'pending') - Number(before?.status === 'pending')
  const count = Number(before === undefined)
  const add = { ...(count === 0 ? {} : { count }), ...(pending === 0 ? {} : { pending }) }
  return [{ counter: FAILURE_COUNTERS, member: failureMember(createdAt, fingerprint), add }]
}

/** The title of a dead letter of a message without a task. */
export const UNDELIVERED_MESSAGE = 'Undeliverable message'

const LONGEST_TITLE = 300

/** Sends a notice about a failed task. A dead letter of a message sends none. */
const failureAnnouncements = ({ before, after }: Change<DlqItem>): Message[] => {
  if (before !== undefined || after === undefined || after.title === UNDELIVERED_MESSAGE) return []
  const { taskId, title, attempts, lastError, createdAt, fingerprint } = after
  const notification = {
    id: `ntf_${ulidIn(after.id)}`,
    type: 'task_failed' as const,
    taskId,
    createdAt,
    title: cutText(`Task failed: ${title}`, LONGEST_TITLE),
    message: `After ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}: ${lastError}`,
  }
  return [announcement(notification, definedFields({ fingerprint }))]
}

/** Publishes a dead letter without the reason of the failure, which may be long. */
const letterEvents = ({ before, after }: Change<DlqItem>): LiveDraft[] => {
  if (after === undefined) return before ? [{ type: 'dlq.removed', data: { id: before.id } }] : []
  const { id, taskId, title, attempts, createdAt, status } = after
  const data = { id, taskId, title, attempts, createdAt, status }
  return [{ type: before ? 'dlq.updated' : 'dlq.created', data }]
}

export const deadLetters = collection<DlqItem>({
  name: 'deadLetters',
  key: 'id',
  indexes: {
    newest: { by: 'createdAt' },
    byStatus: { within: 'status', by: 'createdAt' },
    byFingerprint: { within: 'fingerprint', by: 'createdAt' },
  },
  summary: DlqItemSchema.keyof().options,
  counts: letterIncrements,
  recount: { index: 'newest', counter: DEAD_LETTER_COUNTERS.counter },
  sends: failureAnnouncements,
  publishes: letterEvents,
})

/** A failure group that causes no notifications: who muted it, and when. */
export type FailureMute = { fingerprint: string; mutedBy: string; mutedAt: string }
export const failureMutes = collection<FailureMute>({ name: 'failureMutes', key: 'fingerprint', indexes: {} })
