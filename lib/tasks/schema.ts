import * as z from 'zod'
import { LONGEST_ATTEMPT_MS, MOST_STEPS, SHORTEST_ATTEMPT_MS } from '../core/attempt-limit.ts'
import { BranchName } from '../core/branch-name.ts'
import { HIGHEST_COST_LIMIT_USD } from '../core/cost-limit.ts'
import { queryFrom, queryUntil } from '../core/page.ts'
import { QuestionSchema } from '../core/question.ts'
import { AskedLabelsSchema } from '../core/runner-labels.ts'
import { nameText } from '../core/shown-text.ts'
import { TruncatedSchema } from '../core/truncated.ts'
import { TASK_STATUSES } from './machine.ts'

export const TaskStatusSchema = z.enum(TASK_STATUSES)
export const TASK_SOURCES = ['codehost', 'trackera', 'trackerb', 'api', 'cron'] as const
export const TaskSourceSchema = z.enum(TASK_SOURCES)
export const PrioritySchema = z.literal([1, 2, 3, 4], { error: 'must be 1 (critical), 2, 3 or 4 (low)' })
export const TASK_EVENT_TYPES = [
  'created',
  'queued',
  'started',
  'progress',
  'retrying',
  'recovered',
  'completed',
  'failed',
  'cancelled',
  'retried',
] as const

const timestamp = z.iso.datetime()
const shortText = z.string().max(500)
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2_000)
/** Any JSON value. The body was parsed as JSON, so no further check is needed. */
const json = z
  .unknown()
  .meta({ id: 'Json', description: 'Any JSON value' }) as z.ZodType<z.core.util.JSONType>
const metadata = z.record(z.string(), json)

/** The most characters of a prompt. */
export const MOST_PROMPT = 100_000

/** The body of a create, and the definition of a task in other bodies. Unknown keys are dropped. */
export const CreateTaskSchema = z
  .object({
    title: nameText(500).describe('Short title that identifies the task in lists'),
    description: z
      .string()
      .max(100_000)
      .optional()
      .describe('Description for people; used as the prompt if `prompt` is not set'),
    prompt: z.string().max(MOST_PROMPT).optional().describe('Instructions for the agent'),
    priority: PrioritySchema.default(3).describe('1 (critical) to 4 (low); lower numbers run first'),
    source: TaskSourceSchema.default('api'),
    sourceId: shortText.optional().describe('Id at the source, such as `acme/web#42`'),
    sourceUrl: httpUrl.optional().describe('URL at the source'),
    repository: shortText
      .min(1)
      .describe(
        '`owner/repo`, an https or SSH URL, or a path or `file:` URL on the machine of the service. Returns 400 `repository_refused` if you may not use the host or path',
      )
      .optional(),
    branch: BranchName.optional().describe('Branch to work on; created if it does not exist'),
    labels: z.array(nameText(200)).max(50).default([]),
    assignedAgent: nameText(200).optional().describe('Agent type; the default agent if not set'),
    timeoutMs: z
      .int()
      .min(SHORTEST_ATTEMPT_MS)
      .max(LONGEST_ATTEMPT_MS)
      .optional()
      .describe(
        'Time limit of an attempt, in milliseconds. Overrides the limit of the agent (see `GET /api/agents`)',
      ),
    maxSteps: z
      .int()
      .min(1)
      .max(MOST_STEPS)
      .optional()
      .describe('Maximum steps per attempt, for agents that count steps. The coding agent defaults to 25'),
    maxCostUsd: z
      .number()
      .positive()
      .max(HIGHEST_COST_LIMIT_USD)
      .optional()
      .describe(
        'Maximum total cost of all attempts, in US dollars. Beyond it, the task fails with `cost_limit_reached`. `AGENT_MAX_COST_USD` also applies',
      ),
    runsOn: AskedLabelsSchema.optional().describe(
      'Labels that a runner must have to run the task, matched exactly. Without labels, the service can also run the task itself',
    ),
    metadata: metadata.optional().describe('Custom data stored with the task. Agents read some of the keys'),
  })
  .meta({
    id: 'TaskDefinition',
    examples: [
      {
        title: 'Guard total() against an empty cart',
        prompt: 'Make total() answer 0 for an empty cart, with a test.',
        repository: 'acme/web',
        labels: ['backend'],
      },
    ],
  })

/** Refused, not ignored as unknown keys are: the task would run without the limit that the caller meant to set. */
const ELSEWHERE = {
  mode: z.never('is not a field of a task. Use metadata.securityMode').optional(),
  securityMode: z.never('is not a field of a task. Use metadata.securityMode').optional(),
  maxCost: z.never('is not a field of a task. Use maxCostUsd').optional(),
  timeout: z.never('is not a field of a task. Use timeoutMs').optional(),
}

/** A task as callers send it. */
export const NewTaskSchema = CreateTaskSchema.extend(ELSEWHERE).meta({
  id: 'CreateTask',
  examples: CreateTaskSchema.meta()?.examples as object[],
})

export const TokenUsageSchema = z.object({
  promptTokens: z.number().describe('Tokens sent to the model'),
  completionTokens: z.number().describe('Tokens received from the model'),
  totalTokens: z.number(),
})
/** What is more is no cost: counters would lose their digits. */
const MOST_USD = 1_000_000_000
export const CostSchema = z
  .object({
    usd: z
      .number()
      .min(0)
      .max(MOST_USD)
      .nullable()
      .describe('Cost in US dollars; null if unknown. If only a part is known, that part'),
    source: z
      .enum(['provider', 'price', 'unknown'])
      .describe(
        'Source of the least certain part: `provider` (reported by provider or agent), `price` (model price), or `unknown`, such as for a model without a price',
      ),
  })
  .meta({ id: 'Cost', examples: [{ usd: 0.42, source: 'price' }] })
/** What calls of a model used and cost. */
export const ModelUsageSchema = TokenUsageSchema.extend({ cost: CostSchema.optional() })
export const TaskResultSchema = z.looseObject({
  success: z.boolean(),
  output: z
    .string()
    .meta({ description: 'Final text of the agent', examples: ['total() answers 0 for an empty cart.'] }),
})
/** What lists show of a result. */
export const ResultBriefSchema = z
  .object({
    text: z
      .string()
      .optional()
      .describe('The first sentence of the output, as plain text in one line of at most 200 characters'),
    changes: z
      .object({ files: z.number(), additions: z.number(), deletions: z.number() })
      .optional()
      .describe('Counted in the diff; absent where no file changed'),
    pullRequest: z.object({ number: z.number(), url: z.string() }).optional(),
  })
  .meta({
    id: 'ResultBrief',
    examples: [
      {
        text: 'total() answers 0 for an empty cart.',
        changes: { files: 2, additions: 33, deletions: 10 },
        pullRequest: { number: 412, url: 'https://github.com/acme/web/pull/412' },
      },
    ],
  })
export type ResultBrief = z.output<typeof ResultBriefSchema>

export const TaskErrorSchema = z.object({ code: z.string(), message: z.string() })

/**
 * What a task may wait for: while it is in progress for an approval, while it has not started for anything else. The waits
 * for a slot, a runner and a time are computed when the task is read.
 */
const WaitReasonSchema = z.enum(['approval', 'hold', 'budget', 'slot', 'runner', 'schedule'])
const WaitingSchema = z
  .object({
    reason: WaitReasonSchema,
    since: timestamp,
    until: timestamp
      .optional()
      .describe(
        'When the approval expires, a provider that reached its usage limit is tried again, the next month starts (for a budget), or the next attempt is due. Absent if unlimited',
      ),
    provider: z.string().optional().describe('Provider on hold (see `GET /api/holds`)'),
    position: z
      .int()
      .min(1)
      .optional()
      .describe('Position among the tasks waiting for the same slots; absent if unknown'),
    message: z
      .string()
      .optional()
      .meta({ description: 'Human-readable reason for the wait', examples: ['no runner has gpu'] }),
  })
  .meta({ id: 'Waiting' })
type Waiting = z.output<typeof WaitingSchema>

/** Why a queued task may not start, until when, and in words for its log. */
export type QueuedWait = Pick<Waiting, 'reason' | 'provider' | 'until'> & { message: string }

/** What a task waits for, as `waitingFor` and `waiting` have it. */
export type TaskWait = Pick<TaskRow, 'waitingFor' | 'waiting'>

export const TaskSchema = z
  .object({
    id: z.string().meta({ examples: ['task_01KF0Q8Y3V5W7X9Z'] }),
    title: z.string().meta({ examples: ['Guard total() against an empty cart'] }),
    description: z.string().optional(),
    prompt: z.string().optional(),
    priority: PrioritySchema.describe('1 (critical) to 4 (low); lower numbers run first'),
    status: TaskStatusSchema,
    source: TaskSourceSchema,
    sourceId: z.string().optional(),
    sourceUrl: z.string().optional(),
    repository: z
      .string()
      .optional()
      .meta({ examples: ['acme/web'] }),
    branch: z.string().optional(),
    labels: z.array(z.string()),
    assignedAgent: z.string().optional(),
    agent: z
      .string()
      .meta({ description: 'Type of the agent that runs the task', examples: ['coding-agent'] }),
    attempts: z.number(),
    maxAttempts: z.number(),
    createdAt: timestamp,
    updatedAt: timestamp,
    queuedAt: timestamp.optional(),
    startedAt: timestamp.optional().describe('Start of the first attempt'),
    completedAt: timestamp.optional().describe('When the task ended, in any status'),
    nextAttemptAt: timestamp.optional(),
    waitingFor: WaitReasonSchema.optional(),
    waiting: WaitingSchema.optional(),
    waitingMs: z
      .number()
      .optional()
      .describe(
        'Time spent waiting since the start of the first attempt, without the current wait, in milliseconds',
      ),
    result: TaskResultSchema.optional().describe(
      'Result of the agent, with any fields that it adds. If the task did not succeed, what the last attempt left, such as its changes so far',
    ),
    question: QuestionSchema.optional().describe(
      'What the agent asks at the end of its turn, until the task is replied to or retried. `result.question` keeps it',
    ),
    error: TaskErrorSchema.optional(),
    usage: TokenUsageSchema.optional(),
    cost: CostSchema.optional().describe(
      'Total cost of all attempts, including failed ones; absent if no model was called',
    ),
    maxCostUsd: z.number().optional().describe('Maximum total cost, in US dollars'),
    timeoutMs: z
      .number()
      .optional()
      .describe('Time limit of an attempt, in milliseconds, if set for the task'),
    maxSteps: z.number().optional().describe('Maximum steps per attempt'),
    runsOn: z.array(z.string()).optional().describe('Labels that the runner must have'),
    metadata: metadata.optional(),
    retriedFrom: z.string().optional().describe('Task that this task retries'),
    retriedBy: z.string().optional().describe('Latest task that retries this task'),
    threadId: z
      .string()
      .optional()
      .meta({
        description: 'First task of the thread; the task itself if it is not a reply',
        examples: ['task_01KF0Q8Y3V5W7X9Z'],
      }),
    parentId: z.string().optional().describe('Previous turn in the thread'),
    runner: z
      .string()
      .optional()
      .meta({
        description: 'Runner of the latest attempt; absent if the service ran it',
        examples: ['build-1'],
      }),
    createdBy: z.string().meta({ examples: ['local'] }),
    truncated: TruncatedSchema,
  })
  .meta({ id: 'Task' })

export const StoredTaskSchema = TaskSchema.extend(CreateTaskSchema.shape)

export const TASK_SORTINGS = ['createdAt', 'updatedAt', 'completedAt', 'priority', 'title', 'status'] as const

export const word = z.string().min(1).max(500)

export const searchText = word.meta({
  description:
    'Search words. Each must occur, in any case and also within words, in title, id, error, prompt, description, repository, branch, output or changed paths',
  examples: ['total() acme/web'],
})

/** The fields of a filter that have the same form in a query and in JSON. */
export const filterFields = {
  createdAfter: queryFrom.optional().describe('At or after this time'),
  createdBefore: queryUntil.optional().describe('At or before this time'),
  completedAfter: queryFrom.optional().describe('At or after this time'),
  completedBefore: queryUntil.optional().describe('At or before this time'),
  repository: word.optional(),
  branch: word.optional().describe('Branch of the task'),
  createdBy: word.optional().describe('Id of the user who created the task'),
  q: searchText.optional(),
}

/** Any subset of a task's fields; the list answers summaries, or the fields of `fields`. */
export const TaskFieldsSchema = TaskSchema.partial().extend({ id: z.string() })

export const TaskEventSchema = z
  .object({
    id: z.string(),
    taskId: z.string().meta({ examples: ['task_01KF0Q8Y3V5W7X9Z'] }),
    type: z.enum(TASK_EVENT_TYPES),
    timestamp,
    message: z.string().optional(),
    agent: z.string().optional(),
    attempt: z.number().optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'TaskEvent' })

/** The fields that define a task for its agent. */
export const TASK_DEFINITION = CreateTaskSchema.keyof().options

/** What a person adds to a thread. */
export const ThreadMessageSchema = z
  .object({
    id: z.string().meta({ examples: ['msg_01KF0Q8Y3V5W7X9Z'] }),
    taskId: z.string().describe('Task that the message was sent to'),
    content: z.string(),
    createdAt: timestamp,
    state: z
      .enum(['queued', 'delivered'])
      .describe('`queued`: waits for the current turn to end. `delivered`: used as the prompt of a turn'),
  })
  .meta({ id: 'ThreadMessage' })
export type ThreadMessage = z.output<typeof ThreadMessageSchema>

export type CreateTask = z.output<typeof CreateTaskSchema>
export type Task = z.output<typeof TaskSchema>
export type TaskEvent = z.output<typeof TaskEventSchema>
export type TaskFields = z.output<typeof TaskFieldsSchema>
export type TaskResult = z.output<typeof TaskResultSchema>
export type TaskError = z.output<typeof TaskErrorSchema>

/** What is said where the state of an agent is larger than can be kept, or given to a runner. */
export const SESSION_TOO_LARGE = {
  kept: 'The session of the agent was too large to store. A reply starts a new one',
  forReply: 'The session of the earlier turns was too large to hand over. This turn starts a new one',
} as const

/** What an attempt leaves beside its error: its result without success, and what a reply needs. */
export type LeftByAttempt = { result?: TaskResult | undefined; continuation?: object | undefined }

/** A stored event in the log of a task. Notices of `emitted` ones are sent to outbound webhooks. */
export type TaskLogEntry = Pick<TaskEvent, 'id' | 'type' | 'message' | 'attempt' | 'metadata'> & {
  emitted?: true
}

/** The body of a message about an `emitted` event. */
const EmittedEntrySchema = z.object({
  id: z.string().min(1).max(200),
  type: z.enum(TASK_EVENT_TYPES),
  attempt: z.int().exactOptional(),
  message: z.string().exactOptional(),
  code: z.string().exactOptional(),
})
export type EmittedEntry = z.output<typeof EmittedEntrySchema>

export const TraceSchema = z
  .object({ requestId: z.string().max(200), traceparent: z.string().max(200).exactOptional() })
  .exactOptional()

const about = { taskId: z.string().min(1).max(200), trace: TraceSchema }
/** The notice that a watched task has ended. */
export const EndedNoticeSchema = z.object({ kind: z.literal('ended'), ...about })
/** The notice of an `emitted` event. */
export const EmittedNoticeSchema = z.object({
  kind: z.literal('emitted'),
  ...about,
  entry: EmittedEntrySchema,
})
export type TaskNotice = z.output<
  typeof EndedNoticeSchema | typeof EmittedNoticeSchema | typeof PlacesNoticeSchema
>

/** The places of a run under the caps of concurrent tasks, where many processes run tasks. */
const HeldPlacesSchema = z.object({ token: z.string().max(300), caps: z.array(z.string().max(100)).max(10) })
export type HeldPlaces = z.output<typeof HeldPlacesSchema>
/** The notice that a run has ended which had places. */
export const PlacesNoticeSchema = z.object({ kind: z.literal('places'), ...about, places: HeldPlacesSchema })

/** The body of a run message: the id of the task and the attempt, never the task itself. */
export const RunTaskSchema = z.object({
  taskId: z.string().min(1).max(200),
  attempt: z.int().min(1),
  /** Who may take it: a runner with this agent and all of these labels. Absent in messages of earlier releases. */
  agent: z.string().min(1).max(200).exactOptional(),
  runsOn: z.array(z.string()).exactOptional(),
  /** What it counts toward, beside its agent. */
  createdBy: z.string().max(500).exactOptional(),
  repository: z.string().max(500).exactOptional(),
  /** The runner that comes first, while it takes tasks. */
  home: z.string().exactOptional(),
  /** The fencing token of the row that waits. An attempt that is not counted has the same number again. */
  fence: z.int().min(0).exactOptional(),
  /** The attempt continues after a decision. */
  resume: z.literal(true).exactOptional(),
  trace: TraceSchema,
  /** Since when the task waits for this attempt, and the end of its backoff, if it has one. For spans only. */
  since: timestamp.optional(),
  due: timestamp.optional(),
})
export type RunTask = z.output<typeof RunTaskSchema>

/** The fields of a row that no task shows. */
const HiddenFields = z.object({
  /** The fencing token: grows with every claim; every write of a run carries the token of its claim. */
  fence: z.number(),
  /** Epoch milliseconds; until then the worker that leased the task counts as alive. */
  leaseExpiresAt: z.number().exactOptional(),
  /** The name of its agent in the counters, when it differs from the agent's name. */
  countedAs: z.string().exactOptional(),
  /** The state that its agent needs to continue a run that waits for a decision. */
  checkpoint: z.custom<object>().exactOptional(),
  /** The attempts in a row that were refused before any work, and are not counted; absent when there are none. */
  refusals: z.number().exactOptional(),
  approvalIds: z.array(z.string()).readonly().exactOptional(),
  /** The time of the repeated message, when the first one had led to no claim. */
  sentAgainAt: z.string().exactOptional(),
  trace: TraceSchema,
  /** Notices are sent at its end. */
  watched: z.literal(true).exactOptional(),
  /** What its attempts had cost before it was queued again by a person, in USD: its limit begins anew. */
  costBefore: z.number().exactOptional(),
  /** What its present attempt has cost, or the one that was cancelled; absent between attempts. */
  attemptCost: CostSchema.exactOptional(),
  /** The name of its repository in the counters of costs; with a cost. */
  costRepository: z.string().exactOptional(),
  /** The turn after it in its thread: there is one at most. */
  nextTurnId: z.string().exactOptional(),
  /** Of the result of a completed task. */
  brief: ResultBriefSchema.exactOptional(),
  /** Of its latest claim. */
  places: HeldPlacesSchema.exactOptional(),
  /** Why no runner could take it, as its user was told once. */
  noRunner: z.string().exactOptional(),
  /** The runner that has the workspace of its thread: it comes first while it takes tasks. */
  home: z.string().exactOptional(),
  /** The bulk job that queued it. Any other redrive removes it, so that its next end does not count for the job. */
  bulkJobId: z.string().exactOptional(),
})
export const HIDDEN = HiddenFields.shape

/** What is stored: the public fields and the hidden ones. */
export type TaskRow = Task & z.output<typeof HiddenFields>

/** The first task of a row's thread. A row stores it only where it has a parent: every other task begins a thread. */
export const toThreadId = ({ id, threadId = id }: Pick<TaskRow, 'id' | 'threadId'>): string => threadId

/** Whether another run follows that of a row: a reply, or a retry. */
export const isFollowed = ({
  nextTurnId,
  retriedBy,
}: Pick<Partial<TaskRow>, 'nextTurnId' | 'retriedBy'>): boolean =>
  nextTurnId !== undefined || retriedBy !== undefined

/** A stored row as the API shows it. A question that was answered is no longer one of the task. */
export const publicTask = <Row extends Partial<TaskRow> & Pick<TaskRow, 'id'>>(
  row: Row,
): Omit<Row, keyof typeof HIDDEN> => {
  const task: Partial<Row> = {}
  for (const field in row) if (!(field in HIDDEN)) task[field] = row[field]
  if (isFollowed(row)) delete task.question
  task.threadId ??= row.id
  return task as Omit<Row, keyof typeof HIDDEN>
}

/** Large fields, read only on request. */
export const TASK_DETAIL = [
  'description',
  'prompt',
  'result',
  'metadata',
  'checkpoint',
] as const satisfies (keyof TaskRow)[]
export type TaskDetail = (typeof TASK_DETAIL)[number]

/** Fields of every list whose text comes from a caller or a model. */
export const TASK_LONG = [
  ...(['title', 'sourceId', 'sourceUrl', 'repository', 'branch'] as const),
  ...(['labels', 'assignedAgent', 'question', 'error'] as const),
] as const satisfies (keyof TaskRow)[]
export type TaskLong = (typeof TASK_LONG)[number]

/** A task as its counters and messages see it: a long field may be missing. */
export type CountedTask = Omit<TaskRow, TaskDetail | TaskLong>
export type SentTask = CountedTask & Partial<Pick<TaskRow, TaskLong>>
