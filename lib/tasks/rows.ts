import { collection } from '../core/collection.ts'
import { countsOf } from './counters.ts'
import { sendsOf } from './messages.ts'
import {
  CreateTaskSchema,
  TASK_DETAIL,
  TASK_LONG,
  type Task,
  type TaskDetail,
  type TaskEvent,
  TaskEventSchema,
  type TaskLong,
  type TaskRow,
  TaskSchema,
} from './schema.ts'

type TaskField = Extract<keyof TaskRow, string>
const DETAIL = new Set<TaskField>(TASK_DETAIL)
/** What a task is created with and keeps, or what hardly ever changes, and what no list is filtered by. */
const FIXED: readonly TaskField[] = [
  'sourceId',
  'sourceUrl',
  'branch',
  'assignedAgent',
  'maxAttempts',
  'createdBy',
  'retriedFrom',
  'countedAs',
  'trace',
  'waitingFor',
  'watched',
]
// What was asked for comes first, as in the row that a create makes.
const ALL_FIELDS = [
  ...new Set([...Object.keys(CreateTaskSchema.shape), ...Object.keys(TaskSchema.shape)]),
  'fence',
  'leaseExpiresAt',
  'countedAs',
  'checkpoint',
  'sentAgainAt',
  'trace',
  'watched',
] as TaskField[]

/** What the log of a task has for each event; what the row says of all of them is added when it is read. */
export type TaskLogEntry = Pick<TaskEvent, 'id' | 'type' | 'message' | 'attempt' | 'metadata'>

/** Rows of earlier versions are whole events, those of progress among them. */
export const taskEvents = collection<TaskEvent>({
  name: 'taskEvents',
  within: 'taskId',
  key: 'id',
  indexes: { ofTask: { within: 'taskId', by: 'id' } },
  summary: TaskEventSchema.keyof().options,
})

export const tasks = collection<TaskRow, TaskDetail, TaskLong>({
  name: 'tasks',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, byStatus: { within: 'status', by: 'createdAt' } },
  detail: TASK_DETAIL,
  summary: ALL_FIELDS.filter((field) => !DETAIL.has(field)),
  long: TASK_LONG,
  fixed: FIXED,
  log: taskEvents,
  counts: countsOf,
  // A failure stays counted when its task is queued again, and the last completion and the extremes are never taken back.
  recount: {
    index: 'newest',
    tells: (name) => !/^(failed(:|$)|lastAt:|leastDurationMs$|mostDurationMs$)/.test(name),
  },
  sends: sendsOf,
})

/**
 * An `Idempotency-Key` that was used, kept for a day: the task, and what of it the same request cannot tell. `task` is what
 * earlier versions kept instead.
 */
export type CreateReplay = {
  key: string
  bodyHash: string
  expiresAt: number
  made?: Pick<Task, 'id' | 'agent' | 'maxAttempts' | 'createdAt'>
  task?: Task
}

export const createReplays = collection<CreateReplay>({
  name: 'createReplays',
  key: 'key',
  indexes: {},
  detail: ['task'],
  expires: 'expiresAt',
})

/** Every field of a row that is not the task's, or this does not compile. */
type Hidden = { [Field in Exclude<keyof TaskRow, keyof Task>]: undefined }

/** A stored row as the API shows it: a field that is undefined is none in JSON, and quicker than one that is left out. */
export const publicTask = (row: TaskRow): Task => {
  const task: Task & Hidden = {
    ...row,
    fence: undefined,
    leaseExpiresAt: undefined,
    countedAs: undefined,
    checkpoint: undefined,
    sentAgainAt: undefined,
    trace: undefined,
    watched: undefined,
  }
  return task
}
