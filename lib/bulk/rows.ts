import { type Change, collection, countRows, type LiveDraft, type Message } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import type { Role } from '../core/principal.ts'
import type { Trace } from '../core/trace.ts'
import type { BulkFailure, BulkNotice, BulkResults, BulkSummary } from './schema.ts'

/** The items of one message: the most that another worker has to take over when one dies. */
const SLICE = 50
export const sliceNumber = (at: number): number => Math.floor(at / SLICE)

type Expiring = { expiresAt: number }

export type Ended = Record<'completed' | 'failed' | 'cancelled', number>
export const NONE_ENDED: Ended = { completed: 0, failed: 0, cancelled: 0 }
const totalEnded = ({ completed, failed, cancelled }: Ended): number => completed + failed + cancelled
export const allEnded = (done: number, ended: Ended): boolean => totalEnded(ended) >= done

/**
 * A job. `at` is the index of the next item: an item's effect and the step of `at` are one commit, so none takes
 * effect twice. It runs with the `role` that its caller had. `movedAt` is the time of its last step or repeated
 * message, `resent` counts repeated messages. A task that was retried at `unretriedSince` or later is not retried, so
 * that two jobs run no task twice. A retry is `following` after its last item, until the tasks that it queued have
 * ended; `ended` counts those that had at the last look.
 */
export type BulkRow = Omit<BulkSummary, 'status' | 'results'> &
  Expiring & {
    status: BulkSummary['status'] | 'following'
    ended?: Ended
    at: number
    role: Role
    trace?: Trace
    movedAt?: string
    resent?: number
    unretriedSince?: string
  }

/** One message for each slice, with the job or the last step of the slice before, and repeats. */
const sliceMessages = ({ before, after }: Change<BulkRow>): Message[] => {
  if (after === undefined || after.status !== 'running') return []
  const { id, at, resent, trace } = after
  if (before !== undefined && sliceNumber(before.at) === sliceNumber(at) && before.resent === resent)
    return []
  const body: BulkNotice = { kind: 'bulk', jobId: id, from: at, ...(trace && { trace }) }
  return [{ to: 'notices', id: resent === undefined ? `${id}:${at}` : `${id}:${at}:${resent}`, body }]
}

const bulkEvents = ({ before, after }: Change<BulkRow>): LiveDraft[] =>
  after === undefined ? [] : [{ type: before ? 'bulk.updated' : 'bulk.created', data: toBulkSummary(after) }]

/** A stored job in the API's order of fields, without its failures: storage keeps no order. */
export const toBulkSummary = (row: BulkRow): BulkSummary => {
  const { id, target, action, total, done, failed, ended, createdBy, createdAt, endedAt } = row
  return {
    id,
    target,
    action,
    status: row.status === 'following' ? 'running' : row.status,
    total,
    done,
    failed,
    ...(ended && { results: toBulkResults(done, ended) }),
    createdBy,
    createdAt,
    ...definedFields({ endedAt }),
  }
}

const toBulkResults = (done: number, ended: Ended): BulkResults => {
  const { completed, failed, cancelled } = ended
  // Counters may be ahead of the row that was read before them.
  const running = Math.max(0, done - totalEnded(ended))
  return { completed, failed, running, ...(cancelled === 0 ? {} : { cancelled }) }
}

export const bulkCounter = (userId: string): string => `bulk:${userId}`

export const bulkJobs = collection<BulkRow>({
  name: 'bulkJobs',
  key: 'id',
  indexes: {
    ofUser: { within: 'createdBy', by: 'createdAt' },
    byStatus: { within: 'status', by: 'createdAt' },
  },
  expires: 'expiresAt',
  counts: countRows<BulkRow>(({ createdBy = '' }) => [bulkCounter(createdBy)]),
  recount: { index: 'ofUser', ofUser: bulkCounter },
  sends: sliceMessages,
  publishes: bulkEvents,
})

/** The items of a job are stored in parts of this many. */
export const PART = 500
export type BulkPart = Expiring & { jobId: string; part: string; ids: readonly string[] }
export const bulkParts = collection<BulkPart>({
  name: 'bulkParts',
  within: 'jobId',
  key: 'part',
  indexes: {},
  expires: 'expiresAt',
})

/** A failed item. `place` is its index in the job, padded to equal length. */
export type BulkFailureRow = Expiring & BulkFailure & { jobId: string; place: string }
export const bulkFailures = collection<BulkFailureRow>({
  name: 'bulkFailures',
  within: 'jobId',
  key: 'place',
  indexes: { ofJob: { within: 'jobId', by: 'place' } },
  expires: 'expiresAt',
})
