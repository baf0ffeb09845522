import { hash } from 'node:crypto'
import type { TurnMessage } from '../approvals/schema.ts'
import { type Change, collection, type LiveDraft, type Message } from '../core/collection.ts'
import { cutText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import { LOST_TEXT } from '../core/truncated.ts'
import { announcement } from '../notifications/schema.ts'
import type { Insert } from '../ports/store.ts'
import type { KeptResult } from './attempt-schema.ts'
import { costIncrements, isOfTime } from './cost-counters.ts'
import { taskIncrements } from './counters.ts'
import { keptResult } from './kept-result.ts'
import { isFinal } from './machine.ts'
import {
  CreateTaskSchema,
  type EmittedEntry,
  HIDDEN,
  publicTask,
  type RunTask,
  type SentTask,
  TASK_DETAIL,
  TASK_LONG,
  type Task,
  type TaskDetail,
  type TaskLogEntry,
  type TaskLong,
  type TaskNotice,
  type TaskResult,
  type TaskRow,
  TaskSchema,
  type ThreadMessage,
} from './schema.ts'
import { TASK_SEARCH } from './search.ts'

const LONGEST_NOTICE_TITLE = 300

type TaskField = Extract<keyof TaskRow, string>
const DETAIL = new Set<TaskField>(TASK_DETAIL)
/** Fields that rarely change; the filter tests `retriedBy` by its copies in the indexes, for two write units. */
const FIXED: readonly TaskField[] = [
  'sourceId',
  'sourceUrl',
  'branch',
  'assignedAgent',
  'maxAttempts',
  'timeoutMs',
  'maxSteps',
  'maxCostUsd',
  'runsOn',
  'cost',
  'costBefore',
  'costRepository',
  'attemptCost',
  'createdBy',
  'runner',
  'home',
  'retriedFrom',
  'retriedBy',
  'threadId',
  'parentId',
  'nextTurnId',
  'countedAs',
  'trace',
  'waitingFor',
  'waiting',
  'waitingMs',
  'approvalIds',
  'watched',
  'bulkJobId',
  'refusals',
  'noRunner',
  'places',
  'brief',
  'question',
  'truncated',
]
// The fields of the request come first, as in the row that a create makes.
const ALL_FIELDS = [
  ...new Set([...Object.keys(CreateTaskSchema.shape), ...Object.keys(TaskSchema.shape)]),
  ...Object.keys(HIDDEN),
] as TaskField[]

export const taskEvents = collection<TaskLogEntry & { taskId: string }>({
  name: 'taskEvents',
  within: 'taskId',
  key: 'id',
  indexes: { ofTask: { within: 'taskId', by: 'id' } },
  summary: ['taskId', 'id', 'type', 'message', 'attempt', 'metadata', 'emitted'],
})

const tracedBy = ({ trace }: SentTask) => (trace ? { trace } : {})

/** Since when a queued task waits: a retry leaves `queuedAt`, and an import `updatedAt`, as it was. */
export const waitsSince = ({ queuedAt = '', updatedAt }: Pick<SentTask, 'queuedAt' | 'updatedAt'>) =>
  queuedAt > updatedAt ? queuedAt : updatedAt

/** Runners that may take one task of a lane may take each of them. */
const toLane = ({ agent, runsOn = [], home }: Pick<TaskRow, 'agent' | 'runsOn' | 'home'>): string =>
  JSON.stringify([agent, [...new Set(runsOn)].sort(), home])

/** The message of a task's next attempt. Its group is the repository, else the caller; a long one is beside the row. */
export const runMessage = (row: SentTask) =>
  ({
    to: 'run',
    id: `${row.id}:${row.attempts + 1}`,
    body: {
      taskId: row.id,
      attempt: row.attempts + 1,
      agent: row.agent,
      createdBy: row.createdBy,
      ...definedFields({ runsOn: row.runsOn, repository: row.repository, home: row.home }),
      fence: row.fence,
      ...tracedBy(row),
      since: waitsSince(row),
      ...definedFields({ due: row.nextAttemptAt }),
    } satisfies RunTask,
    priority: row.priority,
    ...definedFields({ notBefore: row.nextAttemptAt }),
    group: row.repository ?? row.createdBy,
    lane: toLane(row),
    owner: row.createdBy,
    rebuilt: true,
  }) satisfies Message

const emittedMessage = (row: SentTask, { id, type, attempt, message, metadata }: TaskLogEntry): Message => {
  const code = typeof metadata?.code === 'string' ? metadata.code : undefined
  const entry: EmittedEntry = { id, type, ...definedFields({ attempt, message, code }) }
  const body: TaskNotice = { kind: 'emitted', taskId: row.id, entry, ...tracedBy(row) }
  return { to: 'notices', id: `${id}:emitted`, body }
}

const endedWait = ({ before, after, log }: Change<SentTask>): Message[] => {
  if (before?.waitingFor !== 'approval' || after === undefined || !isFinal(after.status)) return []
  const { id: endedTaskId, createdBy: userId } = after
  const id = `${log.at(-1)?.id ?? endedTaskId}:waited`
  const body: TurnMessage = { endedTaskId, userId }
  return [{ to: 'turns', id, body, group: userId }]
}

/** A run that has ended gives up its places, also where its process died. */
const freedPlaces = (before: SentTask | undefined, after: SentTask): Message[] => {
  if (before?.status !== 'in_progress' || before.places === undefined) return []
  const { places } = before
  const body: TaskNotice = { kind: 'places', taskId: after.id, places, ...tracedBy(after) }
  return [{ to: 'notices', id: `${places.token}:places`, body }]
}

/** Whether a queued task has waited, and may go on: it had no message while it waited. */
const proceeds = (before: SentTask, after: SentTask): boolean =>
  after.status === 'queued' && before.waitingFor !== undefined && after.waitingFor === undefined

/** Tells the user of a task once that no runner can take it. */
const runnerMissed = (
  before: SentTask,
  { id, title = id, createdBy: audience, ...after }: SentTask,
): Message[] => {
  if (after.noRunner === undefined || before.noRunner !== undefined) return []
  return [
    announcement({
      id: `ntf_runner_${id}`,
      type: 'runner_missing',
      taskId: id,
      title: cutText(`No runner for: ${title}`, LONGEST_NOTICE_TITLE),
      message: `The task has been waiting since ${waitsSince(after)}: ${after.noRunner}`,
      createdAt: after.updatedAt,
      audience,
    }),
  ]
}

/** A run message for a queued task that may start; notices of an end that is watched, and of emitted entries; ended waits. */
export const taskMessages = (change: Change<SentTask>): Message[] => {
  const { before, after, log } = change
  if (after === undefined) return []
  if (before?.status === after.status)
    return [...(proceeds(before, after) ? [runMessage(after)] : []), ...runnerMissed(before, after)]
  const entries = log as readonly TaskLogEntry[]
  const emitted = entries.filter((entry) => entry.emitted).map((entry) => emittedMessage(after, entry))
  const sends = [...emitted, ...endedWait(change), ...freedPlaces(before, after)]
  if (after.status === 'queued') return after.waitingFor === undefined ? [runMessage(after), ...sends] : sends
  if (before === undefined || !after.watched || !isFinal(after.status)) return sends
  const id = log.at(-1)?.id ?? `${after.id}:${after.attempts}`
  const body: TaskNotice = { kind: 'ended', taskId: after.id, ...tracedBy(after) }
  return [{ to: 'notices', id, body }, ...sends]
}

/** One of these fields changes whenever a task changes for users; the renewal of a lease changes none. */
const SEEN = ['status', 'updatedAt', 'attempts', 'waitingFor', 'retriedBy', 'nextTurnId'] as const

/** Publishes the summary of a task when users see it change, and the queue when the status changed. */
const liveEvents = ({ before, after }: Change<SentTask>): LiveDraft[] => {
  const id = (after ?? before)?.id ?? ''
  if (after === undefined) return [{ type: 'task.removed', data: { id } }]
  if (before !== undefined && SEEN.every((field) => before[field] === after[field])) return []
  const draft = { type: before ? 'task.updated' : 'task.created', data: publicTask(after) }
  if (before?.status === after.status) return [draft]
  return [draft, { type: 'queue.updated', data: { id: 'tasks' } }]
}

export const tasks = collection<TaskRow, TaskDetail, TaskLong>({
  name: 'tasks',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, byStatus: { within: 'status', by: 'createdAt' } },
  detail: TASK_DETAIL,
  summary: ALL_FIELDS.filter((field) => !DETAIL.has(field)),
  long: TASK_LONG,
  placeholders: { title: LOST_TEXT, labels: [] },
  fixed: FIXED,
  search: TASK_SEARCH,
  log: taskEvents,
  counts: (change) => [...taskIncrements(change), ...costIncrements(change)],
  // Failures stay counted when their task is queued again, the last completion and the extremes are never taken back,
  // and the rows do not have what happened in an hour, nor when their cost was spent.
  recount: {
    index: 'newest',
    isCounted: (name) =>
      !isOfTime(name) && !/^(failed(:|$)|lastAt:|leastDurationMs$|mostDurationMs$|[\dAB])/.test(name),
  },
  sends: taskMessages,
  publishes: liveEvents,
})

/** The tasks of a ticket, in the order of their creation. An index of the tasks would cost more in each write. */
type TicketTask = { ticket: string; place: string; taskId: string }

export const ticketTasks = collection<TicketTask>({
  name: 'ticketTasks',
  within: 'ticket',
  key: 'place',
  indexes: { ofTicket: { within: 'ticket', by: 'place' } },
})

/** The key of a ticket: a hash, since its name may be longer than a key. */
export const ticketKey = (source: string, sourceId: string): string => hash('sha256', `${source}:${sourceId}`)

/** The ticket row of a new task; none for a task without a ticket. */
export const ticketInserts = ({ id, source, sourceId, createdAt }: Task): Insert<TicketTask>[] => {
  if (!sourceId) return []
  const row = { ticket: ticketKey(source, sourceId), place: `${createdAt}:${id}`, taskId: id }
  return [{ insert: ticketTasks, row }]
}

/** The tasks of a thread after its first one, in the order of their creation. */
type ThreadTurn = { threadId: string; place: string; taskId: string }

export const threadTurns = collection<ThreadTurn>({
  name: 'threadTurns',
  within: 'threadId',
  key: 'place',
  indexes: { ofThread: { within: 'threadId', by: 'place' } },
})

/** The thread's row of a new task that has a parent; none for any other. */
export const turnInserts = ({ id, threadId, parentId, createdAt }: Task): Insert<ThreadTurn>[] =>
  threadId === undefined || parentId === undefined
    ? []
    : [{ insert: threadTurns, row: { threadId, place: `${createdAt}:${id}`, taskId: id } }]

/** A message to a thread that waits for the end of its running turn. The commit that makes the next turn of it removes it. */
export type WaitingMessage = Pick<ThreadMessage, 'id' | 'taskId' | 'content' | 'createdAt'> & {
  threadId: string
  createdBy: string
}

export const waitingMessages = collection<WaitingMessage>({
  name: 'waitingMessages',
  within: 'threadId',
  key: 'id',
  indexes: { ofThread: { within: 'threadId', by: 'id' } },
  detail: ['content'],
  summary: ['threadId', 'id', 'taskId', 'createdAt', 'createdBy'],
  placeholders: { content: LOST_TEXT },
})

/** What the runs of a task left for the next turn of its thread: the one of the latest end counts. */
type Continuation = { taskId: string; fence: string; state: object }

export const continuations = collection<Continuation>({
  name: 'continuations',
  within: 'taskId',
  key: 'fence',
  indexes: { ofTask: { within: 'taskId', by: 'fence' } },
  detail: ['state'],
  summary: ['taskId', 'fence'],
  placeholders: { state: {} },
})

/** The row of what a run left, if it left any. */
export const continuationInserts = (
  { id, fence }: Pick<TaskRow, 'id' | 'fence'>,
  state: object | undefined,
): Insert<Continuation>[] =>
  state === undefined
    ? []
    : [{ insert: continuations, row: { taskId: id, fence: String(fence).padStart(10, '0'), state } }]

/** What a failed attempt left, under the id of the event of its end. That of a completed one is the result of its task. */
type AttemptResult = { taskId: string; eventId: string; result: KeptResult }

export const attemptResults = collection<AttemptResult>({
  name: 'attemptResults',
  within: 'taskId',
  key: 'eventId',
  indexes: {},
  detail: ['result'],
  summary: ['taskId', 'eventId'],
  placeholders: { result: { output: LOST_TEXT } },
})

/** The row of what a failed attempt left, if it left any. */
export const attemptResultInserts = (
  taskId: string,
  eventId: string,
  result: TaskResult | undefined,
): Insert<AttemptResult>[] =>
  result === undefined
    ? []
    : [{ insert: attemptResults, row: { taskId, eventId, result: keptResult(result) } }]

/**
 * A used `Idempotency-Key`, stored for a day, with the parts of the answer that a repeated request cannot give: of the
 * new task, if there is one, and of the message to a thread.
 */
export type CreateReplay = {
  key: string
  bodyHash: string
  expiresAt: number
  made?: Pick<Task, 'id' | 'agent' | 'maxAttempts' | 'createdAt'>
  message?: Pick<ThreadMessage, 'id' | 'createdAt' | 'state'>
}

export const createReplays = collection<CreateReplay>({
  name: 'createReplays',
  key: 'key',
  indexes: {},
  expires: 'expiresAt',
})
