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

const MOST = MOST_ITEMS.toLocaleString('en')
const JobParams = idParams('bulk')
const JobAnswer = z.object({ job: BulkJobSchema })
/** A dry run answers 200 with a preview; any other request answers the job. */
const BulkAnswer = z.union([JobAnswer, BulkPreviewSchema])

export const bulkRoutes = defineRoutes({
  bulkTasks: {
    method: 'POST',
    path: '/api/tasks/bulk',
    summary: 'Cancel or retry tasks in bulk',
    about: `Creates a job for up to ${MOST} tasks; with \`dryRun\`, returns their number instead. Tasks are selected when the job is created, by \`ids\` or by a filter with the fields of \`GET /api/tasks/filter\`. A filter that matches everything requires \`all\`. The job continues after a restart. Tasks that were retried in the meantime are not retried again.`,
    access: 'session',
    body: BulkTasksBody,
    status: 202,
    alsoStatus: 200,
    response: BulkAnswer,
  },
  bulkDlq: {
    method: 'POST',
    path: '/api/dlq/bulk',
    summary: 'Retry or discard dead letters in bulk',
    about: `Creates a job for up to ${MOST} dead letters; with \`dryRun\`, returns their number instead. Dead letters are selected when the job is created, by \`ids\` or by a filter; a filter without \`status\` selects pending ones.`,
    access: 'session',
    body: BulkDlqBody,
    status: 202,
    alsoStatus: 200,
    response: BulkAnswer,
  },
  listBulk: {
    method: 'GET',
    path: '/api/bulk',
    summary: 'List your bulk jobs',
    about: 'Returns jobs with their progress, newest first, without failed items. Jobs are kept for 30 days.',
    access: 'session',
    query: PageQuery,
    response: z.object({ jobs: z.array(BulkSummarySchema), ...pageAnswer }),
  },
  getBulk: {
    method: 'GET',
    path: '/api/bulk/{id}',
    summary: 'Get a bulk job',
    about: 'Includes progress and failed items with the reason. Jobs are kept for 30 days.',
    access: 'session',
    params: JobParams,
    response: JobAnswer,
  },
  cancelBulk: {
    method: 'POST',
    path: '/api/bulk/{id}/cancel',
    summary: 'Cancel a bulk job',
    about:
      'Processed items stay as they are, and the current item may still be processed. A job that has ended is returned unchanged.',
    access: 'session',
    params: JobParams,
    response: z.object({ message: z.string(), job: BulkJobSchema }),
  },
})
