import * as z from 'zod'
import { OwnMonthSchema } from '../budgets/schema.ts'
import { idParams } from '../core/id-params.ts'
import { IdempotencyHeaders } from '../core/idempotency.ts'
import { pageAnswer, pageQuery, queryFlag, queryInt, queryList } from '../core/page.ts'
import { boundedText, freeText } from '../core/shown-text.ts'
import { TimezoneSchema } from '../core/timezone.ts'
import { defineRoutes } from '../http/route.ts'
import { TaskReportSchema } from '../reporting/schema.ts'
import { AttemptSchema, ReadAttemptSchema } from './attempt-schema.ts'
import {
  CostSchema,
  filterFields,
  MOST_PROMPT,
  NewTaskSchema,
  searchText,
  TASK_SORTINGS,
  TASK_SOURCES,
  TaskEventSchema,
  type TaskFields,
  TaskFieldsSchema,
  TaskSchema,
  TaskSourceSchema,
  TaskStatusSchema,
  ThreadMessageSchema,
  word,
} from './schema.ts'
import { WINDOWS } from './windows.ts'

const searched = z
  .array(z.string())
  .readonly()
  .optional()
  .meta({
    description: 'Texts searched for `q`. Mode `pro` does not search `output` and `changedPaths`',
    examples: [
      ['title', 'id', 'error', 'prompt', 'description', 'repository', 'branch', 'output', 'changedPaths'],
    ],
  })

const FoundTaskSchema = TaskSchema.extend({
  match: z
    .object({
      in: z.string().meta({ description: 'Text with the most matching words', examples: ['output'] }),
      text: z.string().describe('Excerpt around the first match, in one line'),
    })
    .optional()
    .describe('Where `q` matches'),
}).meta({ id: 'FoundTask' })

const FIELD_NAMES = Object.keys(TaskSchema.shape) as (keyof TaskFields)[]

const ListTasksQuery = z.object({
  ...pageQuery,
  status: TaskStatusSchema.optional(),
  fields: queryList(z.enum(FIELD_NAMES))
    .optional()
    .describe('Comma-separated fields to return in addition to `id`'),
  q: searchText.optional(),
  full: queryFlag.optional().describe('Include `description`, `prompt`, `result` and `metadata`'),
})
export type ListTasks = z.output<typeof ListTasksQuery>

/** Without a limit the answer has the whole log. */
const TaskEventsQuery = z.object({
  after: z.string().min(1).max(200).optional().describe('Return only events after the event with this id'),
  limit: queryInt(1, 200).optional(),
})
export type TaskEventsRange = z.output<typeof TaskEventsQuery>

const ANY = 'Comma-separated; matches any of the values'
export const FilterTasksQuery = z.object({
  ...pageQuery,
  status: queryList(TaskStatusSchema).optional().describe(ANY),
  priority: queryList(queryInt(1, 4)).optional().describe(ANY),
  source: queryList(TaskSourceSchema)
    .optional()
    .describe(`${ANY}: ${TASK_SOURCES.join(', ')}`),
  agent: queryList(word).optional().describe(ANY),
  labels: queryList(word).optional().describe('Comma-separated; matches tasks that have all of the labels'),
  retried: queryFlag.optional().describe('Whether the task was retried as a new task'),
  ...filterFields,
  sortBy: z.enum(TASK_SORTINGS).default('createdAt'),
  sortOrder: z.enum(['asc', 'desc']).default('desc'),
})
export type FilterTasks = z.output<typeof FilterTasksQuery>

export const EXPORT_VERSION = '1.0'

export const MOST_IMPORTED = 100_000

export const ImportBody = z.object({
  version: z.literal(EXPORT_VERSION, { error: `must be "${EXPORT_VERSION}"` }),
  tasks: z
    .array(z.unknown())
    .max(MOST_IMPORTED)
    .meta({
      examples: [
        [{ id: 'task_imported1', title: 'Old', status: 'completed', createdAt: '2025-01-15T09:30:00Z' }],
      ],
    }),
})

export const ImportResults = z.object({
  imported: z.number(),
  skipped: z.number().describe('Tasks that already existed'),
  errors: z
    .array(z.object({ index: z.number(), id: z.string().optional(), message: z.string() }))
    .describe('Errors of the first 100 rejected tasks'),
  moreErrors: z.number().optional().describe('Number of rejected tasks that are not in `errors`'),
})

const counts = z.record(z.string(), z.number())
const costs = z.record(z.string(), z.number())

const AnalyticsQuery = z.object({
  window: z
    .enum(WINDOWS)
    .optional()
    .describe('Recent window: the last hour, 24 hours or 7 days, including the current one'),
  timezone: TimezoneSchema.optional().describe(
    'Time zone of hours and days; UTC by default. Without `window`, selects a window of 24 hours',
  ),
})
export type AnalyticsQuery = z.output<typeof AnalyticsQuery>

const PercentilesSchema = z
  .object({ count: z.number(), p50Ms: z.number().optional(), p95Ms: z.number().optional() })
  .meta({ id: 'Percentiles', description: 'Percentiles, accurate to 5 %; absent if `count` is 0' })

const happenings = {
  created: z.number(),
  started: z.number().describe('Attempts started'),
  completed: z.number(),
  failed: z.number(),
  cancelled: z.number(),
}
const durations = { wait: PercentilesSchema, run: PercentilesSchema }
const span = {
  from: z.iso.datetime(),
  to: z.iso.datetime().describe('Exclusive; can be in the future'),
}

export const WindowSchema = z
  .object({
    window: z.enum(WINDOWS),
    timezone: z.string(),
    ...span,
    buckets: z.array(z.object({ ...span, ...happenings })),
    ...durations,
    byAgent: z.record(z.string(), z.object({ ...happenings, ...durations })),
  })
  .meta({
    id: 'AnalyticsWindow',
    description:
      '`wait` is the time from creation to the first attempt; `run` is the time from first start to end of completed tasks',
  })

const MonthSchema = z
  .object({
    month: z.string().meta({ examples: ['2026-01'] }),
    costUsd: z.number().describe('Cost of tasks and chat, in US dollars'),
    chatCostUsd: z.number().describe('Part of `costUsd` spent on chat'),
    unknownCostTasks: z.number().describe('Tasks with a cost that became unknown this month'),
    costByAgent: costs.meta({
      description: 'Cost by agent, in US dollars',
      examples: [{ 'claude-code': 12.5 }],
    }),
  })
  .describe('Spending in the current month (UTC), the period of budgets')

export const AnalyticsSchema = z.object({
  totalTasks: z.number(),
  completedTasks: z.number(),
  failedTasks: z.number(),
  pendingTasks: z.number(),
  inProgressTasks: z.number(),
  cancelledTasks: z.number(),
  successRate: z.number().meta({
    description: 'Share of completed tasks among completed and failed ones, 0 to 1',
    examples: [0.875],
  }),
  failureRate: z.number().meta({
    description: 'Share of failed tasks among completed and failed ones, 0 to 1',
    examples: [0.125],
  }),
  avgDurationMs: z
    .number()
    .describe('Average time from first start to end, without waits for approvals, in milliseconds'),
  minDurationMs: z.number(),
  maxDurationMs: z.number(),
  byStatus: counts.meta({ examples: [{ completed: 7, failed: 1 }] }),
  byPriority: counts.meta({ examples: [{ 3: 10 }] }),
  bySource: counts.meta({ examples: [{ api: 10 }] }),
  byAgent: counts.meta({ examples: [{ 'coding-agent': 10 }] }),
  costUsd: z.number().meta({ description: 'Known cost of all tasks, in US dollars', examples: [12.5] }),
  unknownCostTasks: z.number().describe('Tasks with a partly or fully unknown cost'),
  costByAgent: costs.meta({
    description: 'Cost by agent, in US dollars',
    examples: [{ 'claude-code': 12.5 }],
  }),
  costByUser: costs.meta({
    description: 'Cost by user id, in US dollars; the 100 highest, and the rest as `other`',
    examples: [{ local: 12.5 }],
  }),
  costByRepository: costs.meta({
    description: 'Cost by repository, in US dollars; the 100 highest, and the rest as `other`',
    examples: [{ 'acme/web': 12.5 }],
  }),
  month: MonthSchema,
  daily: z.array(
    z.object({
      date: z.string(),
      created: z.number(),
      completed: z.number(),
      failed: z.number(),
      costUsd: z.number().describe('Spending on this day (UTC), in US dollars'),
    }),
  ),
  recent: WindowSchema.optional(),
})

export const MessageBody = z
  .object({ content: freeText(MOST_PROMPT).describe('What the agent should do next') })
  .meta({ id: 'NewThreadMessage', examples: [{ content: 'Now cover the empty cart with a test.' }] })
export type MessageBody = z.output<typeof MessageBody>

const ThreadSchema = z
  .object({
    id: z.string().describe('Id of the first task'),
    tasks: z.array(TaskSchema).describe('Turns of the thread as task summaries, oldest first'),
    messages: z.array(ThreadMessageSchema).describe('Messages waiting for the running turn to end'),
    cost: CostSchema.nullable().describe('Total cost of all turns; null if no model was called'),
    status: TaskStatusSchema.describe('Status of the last turn'),
  })
  .meta({ id: 'Thread' })

const TaskParams = idParams('task')
const AttemptParams = TaskParams.extend({
  attemptId: boundedText(200).meta({ examples: ['evt_01KF0Q8Y3V5W7X9Z'] }),
})
const ReadTaskSchema = TaskSchema.extend({
  report: TaskReportSchema.optional(),
  fingerprint: z.string().optional().describe('Failure group of a failed task (see `GET /api/failures`)'),
}).meta({ id: 'ReadTask' })
const TaskAnswer = z.object({ message: z.string(), task: TaskSchema })
const IMPORT_LIMIT = 50 * 1_048_576

export const taskRoutes = defineRoutes({
  listTasks: {
    method: 'GET',
    path: '/api/tasks',
    summary: 'List tasks',
    about:
      'Returns task summaries, newest first. Use `full` or `fields` to include `description`, `prompt`, `result` and `metadata`.',
    access: 'session',
    query: ListTasksQuery,
    response: z.object({ tasks: z.array(TaskFieldsSchema), ...pageAnswer, searched }),
  },
  createTask: {
    method: 'POST',
    path: '/api/tasks',
    summary: 'Create a task',
    about: 'Stores and queues the task before responding. It runs as soon as a worker is free.',
    access: 'session',
    headers: IdempotencyHeaders,
    body: NewTaskSchema,
    status: 201,
    response: TaskAnswer,
  },
  filterTasks: {
    method: 'GET',
    path: '/api/tasks/filter',
    summary: 'Filter tasks',
    about: 'Returns full tasks that match all given fields.',
    access: 'session',
    query: FilterTasksQuery,
    response: z.object({ tasks: z.array(FoundTaskSchema), ...pageAnswer, searched }),
  },
  taskCreators: {
    method: 'GET',
    path: '/api/tasks/creators',
    summary: 'List the creators of tasks',
    about: 'Returns the name of each account once. Unknown task ids are ignored.',
    access: 'session',
    query: z.object({ tasks: queryList(word).describe('Comma-separated task ids, at most 100') }),
    response: z.object({ creators: z.array(z.object({ id: z.string(), name: z.string() })) }),
  },
  taskAnalytics: {
    method: 'GET',
    path: '/api/tasks/analytics',
    summary: 'Get task analytics',
    about:
      'Returns counts, rates, durations and costs of all tasks and of each day. With `window` or `timezone`, also returns a recent window in buckets of 5 minutes, or of hours or days in the time zone. Percentiles are accurate to 5 %.',
    access: 'session',
    query: AnalyticsQuery,
    response: AnalyticsSchema.extend({ month: MonthSchema.extend({ own: OwnMonthSchema }) }),
  },
  exportTasks: {
    method: 'GET',
    path: '/api/tasks/export',
    summary: 'Export all tasks',
    about: 'Streams all tasks as one file that can be imported. Recorded in the audit log.',
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
    summary: 'Import tasks',
    about:
      'Restores at most 100,000 tasks of 1 MiB each from an export. Ids and times are kept, and existing ids are skipped. Finished tasks do not run again; pending and queued tasks are queued.',
    access: 'admin',
    limited: true,
    rawBody: ImportBody,
    bodyLimit: IMPORT_LIMIT,
    response: z.object({ message: z.string(), results: ImportResults }),
  },
  getTask: {
    method: 'GET',
    path: '/api/tasks/{id}',
    summary: 'Get a task',
    about:
      'Includes the result or error, and the comment that reported the outcome at the source of the task.',
    access: 'session',
    params: TaskParams,
    response: z.object({ task: ReadTaskSchema }),
  },
  cancelTask: {
    method: 'POST',
    path: '/api/tasks/{id}/cancel',
    summary: 'Cancel a task',
    about:
      'A waiting task never starts; a running task is aborted. Messages waiting for the task to end start the next turn of its thread. Returns 400 `task_state_conflict` if the task has already ended.',
    access: 'session',
    params: TaskParams,
    response: TaskAnswer.extend({
      messages: z
        .array(ThreadMessageSchema)
        .optional()
        .describe(
          'Messages that waited for the task to end and now start the next turn; absent if there are none',
        ),
    }),
  },
  retryTask: {
    method: 'POST',
    path: '/api/tasks/{id}/retry',
    summary: 'Retry a task',
    about:
      'Creates a new task with the definition of an ended task, and resolves the pending dead letter of a failed task. If two retries arrive at the same time, one is rejected.',
    access: 'session',
    params: TaskParams,
    response: TaskAnswer.extend({ originalTaskId: z.string() }),
  },
  replyToTask: {
    method: 'POST',
    path: '/api/tasks/{id}/messages',
    summary: 'Reply to a task',
    about:
      'Continues an ended task with a new task in the same thread, with the same agent, repository, branch, priority and labels. While a turn is waiting or running, the message waits for it to end, and the response has no `task`. Returns 400 `thread_closed` if nothing is left of the earlier work.',
    access: 'session',
    params: TaskParams,
    headers: IdempotencyHeaders,
    body: MessageBody,
    status: 201,
    response: z.object({ message: ThreadMessageSchema, task: TaskSchema.optional() }),
  },
  getThread: {
    method: 'GET',
    path: '/api/threads/{id}',
    summary: 'Get a thread',
    about: 'Returns the turns of a thread, oldest first. Accepts the id of any task in the thread.',
    access: 'session',
    params: TaskParams,
    response: z.object({ thread: ThreadSchema }),
  },
  taskEvents: {
    method: 'GET',
    path: '/api/tasks/{id}/events',
    summary: 'List the events of a task',
    about:
      'Returns the log of the task, oldest first: status changes, agent progress, and why attempts ended. Without `limit`, returns the whole log.',
    access: 'session',
    params: TaskParams,
    query: TaskEventsQuery,
    response: z.object({ taskId: z.string(), events: z.array(TaskEventSchema), count: z.number() }),
  },
  taskAttempts: {
    method: 'GET',
    path: '/api/tasks/{id}/attempts',
    summary: 'List the attempts of a task',
    about:
      'Returns when each attempt started and ended, why it ended, and its cost, oldest first. Imported tasks have no attempts.',
    access: 'session',
    params: TaskParams,
    response: z.object({ taskId: z.string(), attempts: z.array(AttemptSchema), count: z.number() }),
  },
  getAttempt: {
    method: 'GET',
    path: '/api/tasks/{id}/attempts/{attemptId}',
    summary: 'Get an attempt of a task',
    about: 'Includes output and changes, also for a failed attempt that was retried.',
    access: 'session',
    params: AttemptParams,
    response: z.object({ attempt: ReadAttemptSchema }),
  },
})
