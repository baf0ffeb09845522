import { type Change, collection, type LiveDraft, type Message } from '../core/collection.ts'
import type { Role } from '../core/principal.ts'
import type { Trace } from '../core/trace.ts'
import type { BulkNotice } from './notice.ts'
import type { BulkFailure, BulkSummary } from './schema.ts'

/** Jobs can be read for so long. */
export const KEEP_MS = 30 * 86_400_000
/** Items between two messages: a worker that dies leaves no more than these to be taken up from its message. */
const SLICE = 50
export const sliceOf = (at: number): number => Math.floor(at / SLICE)

type Expiring = { expiresAt: number }

/**
 * A job. `at` is the place of the next item. Each item's effect and the step of `at` are one commit, so that no item takes
 * effect twice and none is counted that did not. It runs with the role that its caller had. `movedAt` is when its last step
 * was made, or its message was sent again; `resent` says how often that was.
 */
export type BulkRow = BulkSummary &
  Expiring & { at: number; role: Role; trace?: Trace; movedAt?: string; resent?: number }

/**
 * One message for each slice: the first with the job, each other with the last step of the slice before. One more where the
 * message is to be sent again.
 */
const sendsOf = ({ before, after }: Change<BulkRow>): Message[] => {
  if (after === undefined || after.status !== 'running') return []
  const { id, at, resent, trace } = after
  if (before !== undefined && sliceOf(before.at) === sliceOf(at) && before.resent === resent) return []
  const body: BulkNotice = { kind: 'bulk', jobId: id, from: at, ...(trace && { trace }) }
  return [{ to: 'notices', id: resent === undefined ? `${id}:${at}` : `${id}:${at}:${resent}`, body }]
}

const publishesOf = ({ before, after }: Change<BulkRow>): LiveDraft[] =>
  after === undefined ? [] : [{ type: before ? 'bulk.updated' : 'bulk.created', data: summaryOf(after) }]

/** A stored job as it is shown, without its failures: storage keeps no order of fields, this one does. */
export const summaryOf = (row: BulkRow): BulkSummary => {
  const { id, target, action, status, total, done, failed, createdBy, createdAt, endedAt } = row
  const ended = endedAt === undefined ? {} : { endedAt }
  return { id, target, action, status, total, done, failed, createdBy, createdAt, ...ended }
}

/** The counter of a user's jobs. */
export const bulkCounter = (userId: string): string => `bulk:${userId}`
export const LISTED = 'all'

export const bulkJobs = collection<BulkRow>({
  name: 'bulkJobs',
  key: 'id',
  indexes: {
    ofUser: { within: 'createdBy', by: 'createdAt' },
    byStatus: { within: 'status', by: 'createdAt' },
  },
  expires: 'expiresAt',
  counts: ({ before, after }) => {
    const { createdBy = '' } = after ?? before ?? {}
    const change = Number(after !== undefined) - Number(before !== undefined)
    return change === 0 ? [] : [{ counter: bulkCounter(createdBy), member: LISTED, add: { total: change } }]
  },
  recount: { index: 'ofUser', ofUser: bulkCounter },
  sends: sendsOf,
  publishes: publishesOf,
})

/** The items that a job was asked for, in parts of so many. */
export const PART = 500
export type BulkPart = Expiring & { jobId: string; part: string; ids: readonly string[] }
export const bulkParts = collection<BulkPart>({
  name: 'bulkParts',
  within: 'jobId',
  key: 'part',
  indexes: {},
  expires: 'expiresAt',
})

/** An item that failed. `place` is that of the item in the job, in digits of equal number. */
export type BulkFailureRow = Expiring & BulkFailure & { jobId: string; place: string }
export const bulkFailures = collection<BulkFailureRow>({
  name: 'bulkFailures',
  within: 'jobId',
  key: 'place',
  indexes: { ofJob: { within: 'jobId', by: 'place' } },
  expires: 'expiresAt',
})
