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
    summary: 'Get the queue status',
    about: 'Returns the number of tasks in each status, the workers and the dead letters.',
    access: 'session',
    response: QueueStatusSchema,
  },
  listDlq: {
    method: 'GET',
    path: '/api/dlq',
    summary: 'List dead letters',
    about:
      'Returns tasks that failed permanently, newest first. Without `status`, returns pending dead letters.',
    access: 'session',
    query: ListDlqQuery,
    response: z.object({ items: z.array(DlqItemSchema), ...pageAnswer }),
  },
  retryDlqItem: {
    method: 'POST',
    path: '/api/dlq/{id}/retry',
    summary: 'Retry a dead letter',
    about:
      'Queues the same task again with all its attempts, and resolves the dead letter. Returns 400 if it is not pending.',
    access: 'session',
    params: ItemParams,
    response: z.object({ message: z.string(), item: DlqItemSchema, task: TaskSchema }),
  },
  discardDlqItem: {
    method: 'POST',
    path: '/api/dlq/{id}/discard',
    summary: 'Discard a dead letter',
    about: 'The task stays failed. Returns 400 if the dead letter is not pending.',
    access: 'session',
    params: ItemParams,
    response: z.object({ message: z.string(), item: DlqItemSchema }),
  },
  listFailures: {
    method: 'GET',
    path: '/api/failures',
    summary: 'List failure groups',
    about:
      'Groups failures by code, message and agent; numbers, ids and paths in a message are ignored. Covers the last 7 days, or the time since `since`, at most 30 days ago.',
    access: 'session',
    query: ListFailuresQuery,
    response: z.object({
      failures: z.array(FailureGroupSchema),
      total: z.number().describe('Number of groups; only the 50 with the most failures are returned'),
      since: z.iso.datetime(),
      bucketMs: z.number().describe('Length of a bucket in `spark`, in milliseconds'),
    }),
  },
  muteFailure: {
    method: 'POST',
    path: '/api/failures/{fingerprint}/mute',
    summary: 'Mute a failure group',
    about: 'Stops notifications about the group. Failures are still counted.',
    access: 'session',
    params: GroupParams,
    response: MuteAnswer,
  },
  unmuteFailure: {
    method: 'POST',
    path: '/api/failures/{fingerprint}/unmute',
    summary: 'Unmute a failure group',
    access: 'session',
    params: GroupParams,
    response: MuteAnswer,
  },
})
