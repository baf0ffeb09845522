import * as z from 'zod'
import { pageAnswer } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { TaskReportSchema } from '../reporting/schema.ts'
import {
  AnalyticsQuery,
  AnalyticsSchema,
  FilterTasksQuery,
  ImportBody,
  ImportResults,
  ListTasksQuery,
  TaskEventsQuery,
} from './queries.ts'
import { CreateTaskSchema, TaskEventSchema, TaskFieldsSchema, TaskSchema } from './schema.ts'

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
