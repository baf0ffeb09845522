import * as z from 'zod'
import { pageAnswer, pageQuery } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { TaskSchema } from '../tasks/schema.ts'
import { DLQ_STATUSES, DlqItemSchema, QueueStatusSchema } from './schema.ts'

const ItemParams = z.object({ id: z.string().min(1).max(200) })

export const ListDlqQuery = z.object({
  ...pageQuery,
  status: z.enum([...DLQ_STATUSES, 'all']).default('pending'),
})

export const queueRoutes = defineRoutes({
  queueStatus: {
    method: 'GET',
    path: '/api/queue/status',
    summary: 'How many tasks are in which state, and who works on them',
    access: 'session',
    response: QueueStatusSchema,
  },
  listDlq: {
    method: 'GET',
    path: '/api/dlq',
    summary: 'List the dead letter queue, newest first',
    access: 'session',
    query: ListDlqQuery,
    response: z.object({ items: z.array(DlqItemSchema), ...pageAnswer }),
  },
  retryDlqItem: {
    method: 'POST',
    path: '/api/dlq/{id}/retry',
    summary: 'Queue the task of an item again, its attempts back at 0',
    access: 'session',
    params: ItemParams,
    response: z.object({ message: z.string(), item: DlqItemSchema, task: TaskSchema }),
  },
  discardDlqItem: {
    method: 'POST',
    path: '/api/dlq/{id}/discard',
    summary: 'Leave the task of an item failed',
    access: 'session',
    params: ItemParams,
    response: z.object({ message: z.string(), item: DlqItemSchema }),
  },
})
