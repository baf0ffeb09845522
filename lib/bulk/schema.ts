import * as z from 'zod'
import { DEFAULT_MEMBER } from '../core/collection.ts'
import { FingerprintSchema } from '../core/failure-group.ts'
import { listIn, queryFlag, queryFrom, queryInt, queryList, queryUntil } from '../core/page.ts'
import { timeOfId } from '../core/ulid.ts'
import { DLQ_STATUSES } from '../queue/schema.ts'
import {
  filterFields,
  PrioritySchema,
  TASK_SORTINGS,
  TaskSourceSchema,
  TaskStatusSchema,
  TraceSchema,
  word,
} from '../tasks/schema.ts'

export const MOST_ITEMS = 10_000
/** The most failures that a job lists; further ones are counted only. */
export const MOST_FAILURES = 100

export const KEEP_MS = 30 * 86_400_000
/** The counter of how the tasks of a retry ended: completed, failed, cancelled. It is stored as long as its job. */
export const bulkResultCounters = (jobId: string) => ({
  counter: `bulkResults:${jobId}`,
  member: DEFAULT_MEMBER,
  expiresAt: timeOfId(jobId) + KEEP_MS,
})

const BulkFailureSchema = z.object({
  id: z.string(),
  title: z.string().optional().describe('Title of the task; absent if the task does not exist'),
  error: z.string(),
  code: z.string().describe('Error code that the action returns for a single item'),
})
export type BulkFailure = z.output<typeof BulkFailureSchema>

const BulkResultsSchema = z
  .object({
    completed: z.number(),
    failed: z.number().describe('Tasks that failed again'),
    running: z.number().describe('Tasks that have not ended, including waiting ones'),
    cancelled: z
      .number()
      .optional()
      .describe('Tasks that were cancelled or removed before they ended; absent if none'),
  })
  .describe(
    'Outcomes of the tasks that a retry queued; they add up to `done`. Later retries of these tasks do not count. Absent for other actions',
  )
export type BulkResults = z.output<typeof BulkResultsSchema>

/** The notice that continues a job from an item, with the trace of the job's request. */
export const BulkNoticeSchema = z.object({
  kind: z.literal('bulk'),
  jobId: z.string().min(1).max(200),
  from: z.int().min(0),
  trace: TraceSchema,
})
export type BulkNotice = z.output<typeof BulkNoticeSchema>

export const BulkSummarySchema = z.object({
  id: z.string(),
  target: z.enum(['tasks', 'dlq']),
  action: z.enum(['cancel', 'retry', 'discard']),
  status: z
    .enum(['running', 'completed', 'cancelled'])
    .describe(
      'A retry is completed when the queued tasks have ended, any other job after its last item. Cancelling a retry does not stop its tasks',
    ),
  total: z.number().describe('Items selected when the job was created'),
  done: z.number().describe('Items for which the action succeeded'),
  failed: z.number().describe('Items for which the action failed'),
  results: BulkResultsSchema.optional(),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
})
export type BulkSummary = z.output<typeof BulkSummarySchema>
export type BulkTarget = BulkSummary['target']
export type BulkAction = BulkSummary['action']

export const BulkJobSchema = BulkSummarySchema.extend({
  failures: z.array(BulkFailureSchema).describe(`First ${MOST_FAILURES} failed items, with the reason`),
}).meta({ id: 'BulkJob' })
export type BulkJob = z.output<typeof BulkJobSchema>

/** The number of items of a job, and the first of them. */
export const BulkPreviewSchema = z
  .object({
    count: z
      .number()
      .describe(
        'Number of selected items. For `ids`, items that exist in a status that allows the action; for a task filter, all matches',
      ),
    sample: z.array(
      z.object({ id: z.string(), title: z.string(), status: z.string(), taskId: z.string().optional() }),
    ),
  })
  .meta({ id: 'BulkPreview' })
export type BulkPreview = z.output<typeof BulkPreviewSchema>

/** The fields of the filter endpoint. An unknown name is refused: a mistyped filter must not select more. */
const TaskSelectionSchema = z.strictObject({
  status: listIn(TaskStatusSchema).optional(),
  priority: z
    .union([
      z.array(PrioritySchema).min(1).max(100),
      queryList(queryInt(1, 4)),
      PrioritySchema.transform((one) => [one]),
    ])
    .optional(),
  source: listIn(TaskSourceSchema).optional(),
  agent: listIn(word).optional(),
  labels: listIn(word).optional(),
  retried: z.union([z.boolean(), queryFlag]).optional(),
  ...filterFields,
  fingerprint: FingerprintSchema.optional().describe(
    'Tasks of a failure group with a pending dead letter, none of which was retried. Can only be combined with `limit` and `retried: false`',
  ),
  sortBy: z.enum(TASK_SORTINGS).optional(),
  sortOrder: z.enum(['asc', 'desc']).optional(),
  limit: z.int().min(1).optional().describe('Maximum number of tasks, taken in this order'),
})
export type TaskSelection = z.output<typeof TaskSelectionSchema>

/** The dead letters of a bulk job; the pending ones by default. */
const DlqSelectionSchema = z.strictObject({
  status: listIn(z.enum(DLQ_STATUSES)).optional(),
  fingerprint: FingerprintSchema.optional(),
  agent: listIn(z.string().min(1).max(500)).optional(),
  createdAfter: queryFrom.optional(),
  createdBefore: queryUntil.optional(),
  limit: z.int().min(1).optional().describe('Maximum number of dead letters, newest first'),
})
export type DlqSelection = z.output<typeof DlqSelectionSchema>

const ids = z
  .array(z.string().min(1).max(200))
  .min(1)
  .optional()
  .meta({ description: 'Ids of the items, instead of a filter', examples: [['task_01KF0Q8Y3V5W7X9Z']] })
const dryRun = z
  .boolean()
  .optional()
  .meta({ description: 'Count the items without changing anything', examples: [true] })
const all = z
  .boolean()
  .optional()
  .describe('Confirms a filter that matches everything; without it, such a filter returns 400')

type Chosen = { ids?: unknown; filter?: unknown }
const hasEitherIdsOrFilter = ({ ids: idList, filter }: Chosen) =>
  (idList === undefined) !== (filter === undefined)
const ONE_OF = { path: ['ids'], message: 'must have either ids or a filter' }

/** Fields that order tasks, or that clients send with every filter: with no other field a filter chooses all there are. */
const CHOOSES_ALL: ReadonlySet<string> = new Set(['sortBy', 'sortOrder', 'retried'])
type Order = { filter?: object | undefined; all?: boolean | undefined; dryRun?: boolean | undefined }
/** A filter that an error left empty must not run everything again. A dry run changes nothing. */
const isMeant = ({ filter, all: isConfirmed, dryRun: isDry }: Order) =>
  filter === undefined ||
  isConfirmed === true ||
  isDry === true ||
  Object.entries(filter).some(([field, value]) => value !== undefined && !CHOOSES_ALL.has(field))
const MEANT = {
  path: ['filter'],
  message: 'matches everything. Add a field such as status or limit, or send "all": true to confirm',
}
const isOfFilter = ({ ids: idList, all: isConfirmed }: Chosen & { all?: unknown }) =>
  idList === undefined || isConfirmed === undefined
const OF_FILTER = { path: ['all'], message: 'can only be used with a filter' }

export const BulkTasksBody = z
  .object({ action: z.enum(['cancel', 'retry']), ids, filter: TaskSelectionSchema.optional(), all, dryRun })
  .refine(hasEitherIdsOrFilter, ONE_OF)
  .refine(isMeant, MEANT)
  .refine(isOfFilter, OF_FILTER)
  .refine(({ filter }) => filter?.fingerprint === undefined || isAlone(filter), {
    path: ['filter', 'fingerprint'],
    message: 'can only be combined with limit and retried: false',
  })
export type BulkTasks = z.output<typeof BulkTasksBody>

/** A retry resolves the dead letter of its task, so that none of a group whose dead letters wait was retried. */
const isAlone = ({ retried = false, ...filter }: TaskSelection): boolean =>
  !retried &&
  Object.entries(filter).every(
    ([field, value]) => value === undefined || field === 'fingerprint' || field === 'limit',
  )

export const BulkDlqBody = z
  .object({ action: z.enum(['retry', 'discard']), ids, filter: DlqSelectionSchema.optional(), dryRun })
  .refine(hasEitherIdsOrFilter, ONE_OF)
export type BulkDlq = z.output<typeof BulkDlqBody>
