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
    description:
      'With `q`: the texts that were looked through. Mode `pro` leaves out `output` and `changedPaths`',
    examples: [
      ['title', 'id', 'error', 'prompt', 'description', 'repository', 'branch', 'output', 'changedPaths'],
    ],
  })

const FoundTaskSchema = TaskSchema.extend({
  match: z
    .object({
      in: z.string().meta({ description: 'The text that has the most of the words', examples: ['output'] }),
      text: z.string().describe('Its part around the first of them, in one line'),
    })
    .optional()
    .describe('With `q`'),
}).meta({ id: 'FoundTask' })

const FIELD_NAMES = Object.keys(TaskSchema.shape) as (keyof TaskFields)[]

const ListTasksQuery = z.object({
  ...pageQuery,
  status: TaskStatusSchema.optional(),
  fields: queryList(z.enum(FIELD_NAMES))
    .optional()
    .describe('Only these fields and the id, separated by commas'),
  q: searchText.optional(),
  full: queryFlag.optional().describe('With description, prompt, result and metadata'),
})
export type ListTasks = z.output<typeof ListTasksQuery>

/** Without a limit the answer has the whole log. */
const TaskEventsQuery = z.object({
  after: z.string().min(1).max(200).optional().describe('Only events after the one with this id'),
  limit: queryInt(1, 200).optional(),
})
export type TaskEventsRange = z.output<typeof TaskEventsQuery>

const ANY = 'Any of these, separated by commas'
export const FilterTasksQuery = z.object({
  ...pageQuery,
  status: queryList(TaskStatusSchema).optional().describe(ANY),
  priority: queryList(queryInt(1, 4)).optional().describe(ANY),
  source: queryList(TaskSourceSchema)
    .optional()
    .describe(`${ANY}: ${TASK_SOURCES.join(', ')}`),
  agent: queryList(word).optional().describe(ANY),
  labels: queryList(word).optional().describe('All of these, separated by commas'),
  retried: queryFlag.optional().describe('Whether it was run again as a new task'),
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
  skipped: z.number().describe('Tasks that existed already'),
  errors: z
    .array(z.object({ index: z.number(), id: z.string().optional(), message: z.string() }))
    .describe('Of the first 100 refused tasks'),
  moreErrors: z.number().optional().describe('Refused tasks beyond those in `errors`'),
})

const counts = z.record(z.string(), z.number())
const costs = z.record(z.string(), z.number())

const AnalyticsQuery = z.object({
  window: z
    .enum(WINDOWS)
    .optional()
    .describe('The last hour, 24 hours or seven days, the current one included'),
  timezone: TimezoneSchema.optional().describe(
    'The zone of hours and days; UTC when absent. Without a window it selects one of a day',
  ),
})
export type AnalyticsQuery = z.output<typeof AnalyticsQuery>

const PercentilesSchema = z
  .object({ count: z.number(), p50Ms: z.number().optional(), p95Ms: z.number().optional() })
  .meta({ id: 'Percentiles', description: 'Within 5 %; without percentiles where nothing was counted' })

const happenings = {
  created: z.number(),
  started: z.number().describe('Started attempts'),
  completed: z.number(),
  failed: z.number(),
  cancelled: z.number(),
}
const durations = { wait: PercentilesSchema, run: PercentilesSchema }
const span = {
  from: z.iso.datetime(),
  to: z.iso.datetime().describe('Exclusive; it may lie ahead'),
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
      '`wait` is from creation to the first attempt, `run` from first start to end of the tasks that completed',
  })

const MonthSchema = z
  .object({
    month: z.string().meta({ examples: ['2026-01'] }),
    costUsd: z.number().describe('US dollars: of tasks and of chat'),
    chatCostUsd: z.number().describe('The part of it that chat cost'),
    unknownCostTasks: z.number().describe('Tasks whose cost became unknown in the month'),
    costByAgent: costs.meta({ description: 'US dollars', examples: [{ 'claude-code': 12.5 }] }),
  })
  .describe('What was spent in the present month (UTC), for which budgets hold')

export const AnalyticsSchema = z.object({
  totalTasks: z.number(),
  completedTasks: z.number(),
  failedTasks: z.number(),
  pendingTasks: z.number(),
  inProgressTasks: z.number(),
  cancelledTasks: z.number(),
  successRate: z
    .number()
    .meta({ description: 'Completed among those that completed or failed, 0 to 1', examples: [0.875] }),
  failureRate: z
    .number()
    .meta({ description: 'Failed among those that completed or failed, 0 to 1', examples: [0.125] }),
  avgDurationMs: z.number().describe('From first start to end, without waits for approvals'),
  minDurationMs: z.number(),
  maxDurationMs: z.number(),
  byStatus: counts.meta({ examples: [{ completed: 7, failed: 1 }] }),
  byPriority: counts.meta({ examples: [{ 3: 10 }] }),
  bySource: counts.meta({ examples: [{ api: 10 }] }),
  byAgent: counts.meta({ examples: [{ 'coding-agent': 10 }] }),
  costUsd: z
    .number()
    .meta({ description: 'US dollars: what all tasks have cost, as far as it is known', examples: [12.5] }),
  unknownCostTasks: z.number().describe('Tasks whose cost is unknown, in part or as a whole'),
  costByAgent: costs.meta({ description: 'US dollars', examples: [{ 'claude-code': 12.5 }] }),
  costByUser: costs.meta({
    description: 'US dollars, by user id; the 100 highest, and all others together as `other`',
    examples: [{ local: 12.5 }],
  }),
  costByRepository: costs.meta({
    description: 'US dollars of tasks with a repository; the 100 highest, and all others together as `other`',
    examples: [{ 'acme/web': 12.5 }],
  }),
  month: MonthSchema,
  daily: z.array(
    z.object({
      date: z.string(),
      created: z.number(),
      completed: z.number(),
      failed: z.number(),
      costUsd: z.number().describe('US dollars that were spent on this day (UTC)'),
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
    id: z.string().describe('The id of its first task'),
    tasks: z.array(TaskSchema).describe('Its turns as summaries, oldest first'),
    messages: z.array(ThreadMessageSchema).describe('Those that wait for the end of the running turn'),
    cost: CostSchema.nullable().describe('Of all its turns; null where no model was called'),
    status: TaskStatusSchema.describe('Of its last turn'),
  })
  .meta({ id: 'Thread' })

const TaskParams = idParams('task')
const AttemptParams = TaskParams.extend({
  attemptId: boundedText(200).meta({ examples: ['evt_01KF0Q8Y3V5W7X9Z'] }),
})
const ReadTaskSchema = TaskSchema.extend({
  report: TaskReportSchema.optional(),
  fingerprint: z
    .string()
    .optional()
    .describe('Of a failed task: the group of failures that it belongs to (`GET /api/failures`)'),
}).meta({ id: 'ReadTask' })
const TaskAnswer = z.object({ message: z.string(), task: TaskSchema })
const IMPORT_LIMIT = 50 * 1_048_576

export const taskRoutes = defineRoutes({
  listTasks: {
    method: 'GET',
    path: '/api/tasks',
    summary: 'List tasks, newest first',
    about:
      'Answers summaries, without description, prompt, result and metadata, unless `full` or `fields` asks for more.',
    access: 'session',
    query: ListTasksQuery,
    response: z.object({ tasks: z.array(TaskFieldsSchema), ...pageAnswer, searched }),
  },
  createTask: {
    method: 'POST',
    path: '/api/tasks',
    summary: 'Create a task and queue it',
    about: 'The task is stored before the answer, and runs as soon as a worker is free.',
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
    about: 'A task must match all given fields.',
    access: 'session',
    query: FilterTasksQuery,
    response: z.object({ tasks: z.array(FoundTaskSchema), ...pageAnswer, searched }),
  },
  taskCreators: {
    method: 'GET',
    path: '/api/tasks/creators',
    summary: 'Read the names of those who created tasks',
    about: 'Each account once; tasks that do not exist are left out.',
    access: 'session',
    query: z.object({ tasks: queryList(word).describe('At most 100 ids of tasks, separated by commas') }),
    response: z.object({ creators: z.array(z.object({ id: z.string(), name: z.string() })) }),
  },
  taskAnalytics: {
    method: 'GET',
    path: '/api/tasks/analytics',
    summary: 'Statistics over all tasks, and of a recent window of time',
    about:
      'Counts, rates, durations and costs of all tasks, and of each day. With `window` or `timezone` also those of a recent window: by five minutes of an hour, or by the hours or days of the zone; percentiles are within 5 %.',
    access: 'session',
    query: AnalyticsQuery,
    response: AnalyticsSchema.extend({ month: MonthSchema.extend({ own: OwnMonthSchema }) }),
  },
  exportTasks: {
    method: 'GET',
    path: '/api/tasks/export',
    summary: 'Export all tasks',
    about: 'One streamed file, for an import. Recorded in the audit.',
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
    summary: 'Import tasks from an export: at most 100,000, of 1 MiB each',
    about:
      'Ids and times are kept; an id that exists is skipped. Finished tasks are not run again, pending and queued ones are queued.',
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
    about: 'With its result or error, and the comment that reported its end at its source.',
    access: 'session',
    params: TaskParams,
    response: z.object({ task: ReadTaskSchema }),
  },
  cancelTask: {
    method: 'POST',
    path: '/api/tasks/{id}/cancel',
    summary: 'Cancel a task that has not ended',
    about:
      'A waiting task never starts; a running one is aborted. Messages that wait for its end begin the next turn of its thread. One that has ended is 400 `task_state_conflict`.',
    access: 'session',
    params: TaskParams,
    response: TaskAnswer.extend({
      messages: z
        .array(ThreadMessageSchema)
        .optional()
        .describe(
          'The messages that waited for its end: they begin the next turn. Absent when there are none',
        ),
    }),
  },
  retryTask: {
    method: 'POST',
    path: '/api/tasks/{id}/retry',
    summary: 'Retry an ended task as a new task',
    about:
      'Creates a task with the same definition, and resolves the pending dead letter of a failed one. Of two retries at the same time one is refused.',
    access: 'session',
    params: TaskParams,
    response: TaskAnswer.extend({ originalTaskId: z.string() }),
  },
  replyToTask: {
    method: 'POST',
    path: '/api/tasks/{id}/messages',
    summary: 'Reply to a task: the next turn of its thread',
    about:
      'A task that has ended is continued by a new task of the same thread, with its agent, repository, branch, priority and labels. While a turn waits or runs, the message waits for its end, and there is no `task` in the answer. 400 `thread_closed` when nothing of the work is left.',
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
    summary: 'Read a thread: the tasks that answer each other, oldest first',
    about: 'By the id of its first task, or of any other of its tasks.',
    access: 'session',
    params: TaskParams,
    response: z.object({ thread: ThreadSchema }),
  },
  taskEvents: {
    method: 'GET',
    path: '/api/tasks/{id}/events',
    summary: 'Read the event log of a task, oldest first, optionally after an event',
    about: 'Each transition, each progress of the agent, and why an attempt ended.',
    access: 'session',
    params: TaskParams,
    query: TaskEventsQuery,
    response: z.object({ taskId: z.string(), events: z.array(TaskEventSchema), count: z.number() }),
  },
  taskAttempts: {
    method: 'GET',
    path: '/api/tasks/{id}/attempts',
    summary: 'List the attempts of a task, oldest first',
    about: 'When each began and ended, why, and what it cost. An imported task has none.',
    access: 'session',
    params: TaskParams,
    response: z.object({ taskId: z.string(), attempts: z.array(AttemptSchema), count: z.number() }),
  },
  getAttempt: {
    method: 'GET',
    path: '/api/tasks/{id}/attempts/{attemptId}',
    summary: 'Read an attempt of a task with its output and changes',
    about: 'Its output and its changes, also of one that failed and was followed by another.',
    access: 'session',
    params: AttemptParams,
    response: z.object({ attempt: ReadAttemptSchema }),
  },
})
