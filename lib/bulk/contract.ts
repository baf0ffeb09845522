import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
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

const JobParams = idParams('bulk')
const JobAnswer = z.object({ job: BulkJobSchema })
/** A dry run answers 200 with a preview; any other request answers the job. */
const BulkAnswer = z.union([JobAnswer, BulkPreviewSchema])

export const bulkRoutes = defineRoutes({
  bulkTasks: {
    method: 'POST',
    path: '/api/tasks/bulk',
    summary: `Cancel or retry up to ${MOST_ITEMS} tasks as a job; a dry run returns how many`,
    about:
      'The tasks are chosen when the job is requested, by ids or by a filter with the fields of `GET /api/tasks/filter`. A filter that chooses all there are needs `all`. The job continues after a restart. A task that was retried since the request is not retried again.',
    access: 'session',
    body: BulkTasksBody,
    status: 202,
    alsoStatus: 200,
    response: BulkAnswer,
  },
  bulkDlq: {
    method: 'POST',
    path: '/api/dlq/bulk',
    summary: `Retry or discard up to ${MOST_ITEMS} dead letters as a job; a dry run returns how many`,
    about:
      'The dead letters are chosen when the job is requested, by ids or by a filter; one without a status chooses those that wait.',
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
    about: 'With their progress, without what failed. Jobs are kept for 30 days.',
    access: 'session',
    query: PageQuery,
    response: z.object({ jobs: z.array(BulkSummarySchema), ...pageAnswer }),
  },
  getBulk: {
    method: 'GET',
    path: '/api/bulk/{id}',
    summary: 'Read a bulk job: its progress, and what failed',
    about: 'What is done, what failed and why. Jobs are kept for 30 days.',
    access: 'session',
    params: JobParams,
    response: JobAnswer,
  },
  cancelBulk: {
    method: 'POST',
    path: '/api/bulk/{id}/cancel',
    summary: 'Cancel a bulk job; what is done stays done',
    about: 'The item that is being processed may still be done. A job that has ended is answered as it is.',
    access: 'session',
    params: JobParams,
    response: z.object({ message: z.string(), job: BulkJobSchema }),
  },
})
