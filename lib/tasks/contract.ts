import * as z from 'zod'
import { pageAnswer, pageQuery, queryFlag, queryInt, queryList } from '../core/page.ts'
import { TimezoneSchema } from '../core/timezone.ts'
import { defineRoutes } from '../http/route.ts'
import { TaskReportSchema } from '../reporting/schema.ts'
import {
  CreateTaskSchema,
  filterFields,
  TASK_SORTINGS,
  TaskEventSchema,
  type TaskFields,
  TaskFieldsSchema,
  TaskSchema,
  TaskSourceSchema,
  TaskStatusSchema,
  word,
} from './schema.ts'
import { WINDOWS } from './windows.ts'

const FIELD_NAMES = Object.keys(TaskSchema.shape) as (keyof TaskFields)[]

const ListTasksQuery = z.object({
  ...pageQuery,
  status: TaskStatusSchema.optional(),
  fields: queryList(z.enum(FIELD_NAMES)).optional(),
  full: queryFlag.optional(),
})
export type ListTasks = z.output<typeof ListTasksQuery>

/** Without a limit the answer has the whole log. */
const TaskEventsQuery = z.object({
  after: z.string().min(1).max(200).optional(),
  limit: queryInt(1, 200).optional(),
})
export type TaskEventsRange = z.output<typeof TaskEventsQuery>

export const FilterTasksQuery = z.object({
  ...pageQuery,
  status: queryList(TaskStatusSchema).optional(),
  priority: queryList(queryInt(1, 4)).optional(),
  source: queryList(TaskSourceSchema).optional(),
  agent: queryList(word).optional(),
  labels: queryList(word).optional(),
  retried: queryFlag.optional(),
  ...filterFields,
  sortBy: z.enum(TASK_SORTINGS).default('createdAt'),
  sortOrder: z.enum(['asc', 'desc']).default('desc'),
})
export type FilterTasks = z.output<typeof FilterTasksQuery>

export const EXPORT_VERSION = '1.0'

/** The most tasks of one import. */
export const MOST_IMPORTED = 100_000

export const ImportBody = z.object({
  version: z.literal(EXPORT_VERSION, { error: `must be "${EXPORT_VERSION}"` }),
  tasks: z.array(z.unknown()).max(MOST_IMPORTED),
})

export const ImportResults = z.object({
  imported: z.number(),
  skipped: z.number(),
  /** The reasons of the first 100 refused tasks. */
  errors: z.array(z.object({ index: z.number(), id: z.string().optional(), message: z.string() })),
  /** The number of refused tasks beyond those in `errors`. */
  moreErrors: z.number().optional(),
})

const counts = z.record(z.string(), z.number())

/** A time zone without a window selects a window of a day. */
const AnalyticsQuery = z.object({
  window: z.enum(WINDOWS).optional(),
  timezone: TimezoneSchema.optional(),
})
export type AnalyticsAsked = z.output<typeof AnalyticsQuery>

/** A duration, within 5 %; without percentiles where nothing was counted. */
const PercentilesSchema = z
  .object({ count: z.number(), p50Ms: z.number().optional(), p95Ms: z.number().optional() })
  .meta({ id: 'Percentiles' })

/** Counts of the changes of tasks in a span of time. */
const happenings = {
  created: z.number(),
  started: z.number(),
  completed: z.number(),
  failed: z.number(),
  cancelled: z.number(),
}
const durations = { wait: PercentilesSchema, run: PercentilesSchema }
const span = { from: z.iso.datetime(), to: z.iso.datetime() }

export const WindowSchema = z
  .object({
    window: z.enum(WINDOWS),
    timezone: z.string(),
    ...span,
    buckets: z.array(z.object({ ...span, ...happenings })),
    ...durations,
    byAgent: z.record(z.string(), z.object({ ...happenings, ...durations })),
  })
  .meta({ id: 'AnalyticsWindow' })

export const AnalyticsSchema = z.object({
  totalTasks: z.number(),
  completedTasks: z.number(),
  failedTasks: z.number(),
  pendingTasks: z.number(),
  inProgressTasks: z.number(),
  cancelledTasks: z.number(),
  successRate: z.number(),
  failureRate: z.number(),
  avgDurationMs: z.number(),
  minDurationMs: z.number(),
  maxDurationMs: z.number(),
  byStatus: counts,
  byPriority: counts,
  bySource: counts,
  byAgent: counts,
  daily: z.array(
    z.object({ date: z.string(), created: z.number(), completed: z.number(), failed: z.number() }),
  ),
  recent: WindowSchema.optional(),
})

const TaskParams = z.object({ id: z.string().min(1).max(200) })
/** A repeated key and body within 24 hours answers the first task, with `Idempotent-Replayed: true`. */
const IdempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .optional(),
})
/** A single task with the report of its end at its source. */
const ReadTaskSchema = TaskSchema.extend({ report: TaskReportSchema.optional() }).meta({ id: 'ReadTask' })
const TaskAnswer = z.object({ message: z.string(), task: TaskSchema })
const IMPORT_LIMIT = 50 * 1_048_576

export const taskRoutes = defineRoutes({
  listTasks: {
    method: 'GET',
    path: '/api/tasks',
    summary: 'List tasks, newest first',
    access: 'session',
    query: ListTasksQuery,
    response: z.object({ tasks: z.array(TaskFieldsSchema), ...pageAnswer }),
  },
  createTask: {
    method: 'POST',
    path: '/api/tasks',
    summary: 'Create a task and queue it',
    access: 'session',
    headers: IdempotencyHeaders,
    body: CreateTaskSchema,
    status: 201,
    response: TaskAnswer,
  },
  filterTasks: {
    method: 'GET',
    path: '/api/tasks/filter',
    summary: 'Find tasks by any of their properties',
    access: 'session',
    query: FilterTasksQuery,
    response: z.object({ tasks: z.array(TaskSchema), ...pageAnswer }),
  },
  taskAnalytics: {
    method: 'GET',
    path: '/api/tasks/analytics',
    summary: 'Statistics over all tasks, and of a recent window of time',
    access: 'session',
    query: AnalyticsQuery,
    response: AnalyticsSchema,
  },
  exportTasks: {
    method: 'GET',
    path: '/api/tasks/export',
    summary: 'Download all tasks',
    access: 'session',
    response: z.object({
      version: z.string(),
      exportedAt: z.iso.datetime(),
      tasks: z.array(TaskSchema),
      taskCount: z.number(),
    }),
  },
  importTasks: {
    method: 'POST',
    path: '/api/tasks/import',
    summary: 'Restore tasks from an export: at most 100,000, of 1 MiB each',
    access: 'admin',
    limited: true,
    rawBody: ImportBody,
    bodyLimit: IMPORT_LIMIT,
    response: z.object({ message: z.string(), results: ImportResults }),
  },
  getTask: {
    method: 'GET',
    path: '/api/tasks/{id}',
    summary: 'Read a task',
    access: 'session',
    params: TaskParams,
    response: z.object({ task: ReadTaskSchema }),
  },
  cancelTask: {
    method: 'POST',
    path: '/api/tasks/{id}/cancel',
    summary: 'Cancel a task that has not ended',
    access: 'session',
    params: TaskParams,
    response: TaskAnswer,
  },
  retryTask: {
    method: 'POST',
    path: '/api/tasks/{id}/retry',
    summary: 'Run a task that has ended again, as a new task',
    access: 'session',
    params: TaskParams,
    response: TaskAnswer.extend({ originalTaskId: z.string() }),
  },
  taskEvents: {
    method: 'GET',
    path: '/api/tasks/{id}/events',
    summary: 'Read the event log of a task, oldest first: all of it, or what comes after an event',
    access: 'session',
    params: TaskParams,
    query: TaskEventsQuery,
    response: z.object({ taskId: z.string(), events: z.array(TaskEventSchema), count: z.number() }),
  },
})
