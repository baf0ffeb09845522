import * as z from 'zod'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import {
  BulkDlqBody,
  BulkJobSchema,
  BulkPreviewSchema,
  BulkSummarySchema,
  BulkTasksBody,
  MOST_ITEMS,
} from './schema.ts'

const JobParams = z.object({ id: z.string().min(1).max(200) })
const JobAnswer = z.object({ job: BulkJobSchema })
/** A dry run answers 200 with a preview; any other request answers the job. */
const BulkAnswer = z.union([JobAnswer, BulkPreviewSchema])
const MOST = MOST_ITEMS.toLocaleString('en')

export const bulkRoutes = defineRoutes({
  bulkTasks: {
    method: 'POST',
    path: '/api/tasks/bulk',
    summary: `Cancel or retry many tasks, at most ${MOST}, as a job; a dry run answers how many`,
    access: 'session',
    body: BulkTasksBody,
    status: 202,
    alsoStatus: 200,
    response: BulkAnswer,
  },
  bulkDlq: {
    method: 'POST',
    path: '/api/dlq/bulk',
    summary: `Retry or discard many dead letters, at most ${MOST}, as a job; a dry run answers how many`,
    access: 'session',
    body: BulkDlqBody,
    status: 202,
    alsoStatus: 200,
    response: BulkAnswer,
  },
  listBulk: {
    method: 'GET',
    path: '/api/bulk',
    summary: 'List your bulk jobs, newest first',
    access: 'session',
    query: PageQuery,
    response: z.object({ jobs: z.array(BulkSummarySchema), ...pageAnswer }),
  },
  getBulk: {
    method: 'GET',
    path: '/api/bulk/{id}',
    summary: 'Read a bulk job: how far it is, and what failed',
    access: 'session',
    params: JobParams,
    response: JobAnswer,
  },
  cancelBulk: {
    method: 'POST',
    path: '/api/bulk/{id}/cancel',
    summary: 'Stop a bulk job; what it has done stays done',
    access: 'session',
    params: JobParams,
    response: z.object({ message: z.string(), job: BulkJobSchema }),
  },
})
