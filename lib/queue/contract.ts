import * as z from 'zod'
import { FingerprintSchema } from '../core/failure-group.ts'
import { idParams } from '../core/id-params.ts'
import { pageAnswer, pageQuery, queryFrom } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { TaskSchema } from '../tasks/schema.ts'
import { DLQ_STATUSES, DlqItemSchema, FailureGroupSchema, QueueStatusSchema } from './schema.ts'

const ItemParams = idParams('dlq')

const GroupParams = z.object({ fingerprint: FingerprintSchema })
const MuteAnswer = z.object({ message: z.string(), fingerprint: z.string(), muted: z.boolean() })

export const ListFailuresQuery = z.object({ since: queryFrom.optional() })

export const ListDlqQuery = z.object({
  ...pageQuery,
  status: z.enum([...DLQ_STATUSES, 'all']).default('pending'),
  fingerprint: FingerprintSchema.optional(),
})

export const queueRoutes = defineRoutes({
  queueStatus: {
    method: 'GET',
    path: '/api/queue/status',
    summary: 'Read the number of tasks in each state, and the workers',
    access: 'session',
    response: QueueStatusSchema,
  },
  listDlq: {
    method: 'GET',
    path: '/api/dlq',
    summary: 'List dead letters, newest first',
    about: 'Tasks that failed for good. Without `status`, the pending ones.',
    access: 'session',
    query: ListDlqQuery,
    response: z.object({ items: z.array(DlqItemSchema), ...pageAnswer }),
  },
  retryDlqItem: {
    method: 'POST',
    path: '/api/dlq/{id}/retry',
    summary: 'Retry a dead letter: queue its task again with all its attempts',
    about: 'The same task runs again, and the dead letter is resolved. 400 if it is not pending.',
    access: 'session',
    params: ItemParams,
    response: z.object({ message: z.string(), item: DlqItemSchema, task: TaskSchema }),
  },
  discardDlqItem: {
    method: 'POST',
    path: '/api/dlq/{id}/discard',
    summary: 'Discard a dead letter; its task stays failed',
    about: '400 if it is not pending.',
    access: 'session',
    params: ItemParams,
    response: z.object({ message: z.string(), item: DlqItemSchema }),
  },
  listFailures: {
    method: 'GET',
    path: '/api/failures',
    summary: 'Group the failures of the last 7 days, or since a time within 30 days, by their cause',
    about:
      'Failures with the same code, message and agent are a group; numbers, ids and paths in a message do not count.',
    access: 'session',
    query: ListFailuresQuery,
    response: z.object({
      failures: z.array(FailureGroupSchema),
      total: z.number().describe('All groups; the 50 with the most failures are listed'),
      since: z.iso.datetime(),
      bucketMs: z.number().describe('The length of a bucket of `spark`'),
    }),
  },
  muteFailure: {
    method: 'POST',
    path: '/api/failures/{fingerprint}/mute',
    summary: 'Mute the failures of a group',
    about: 'No notifications are sent; failures are still counted.',
    access: 'session',
    params: GroupParams,
    response: MuteAnswer,
  },
  unmuteFailure: {
    method: 'POST',
    path: '/api/failures/{fingerprint}/unmute',
    summary: 'Unmute the failures of a group',
    access: 'session',
    params: GroupParams,
    response: MuteAnswer,
  },
})
