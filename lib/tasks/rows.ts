import { collection } from '../core/collection.ts'
import { CreateTaskSchema, type Task, type TaskEvent, TaskEventSchema, TaskSchema } from './schema.ts'

/** What is stored beside the public fields: who holds the task, and what follows from its last write. */
export type TaskRow = Task & {
  /** Grows with every claim; a write of a run carries the number it was started under. */
  fence: number
  /** Epoch milliseconds until which the holder of the task counts as alive. */
  leaseExpiresAt?: number
  /** Where storage writes the row first and what follows from it next: enough for anybody to finish that, as text. */
  born?: string
  last?: string
}

type TaskField = Extract<keyof TaskRow, string>
const HEAVY: readonly TaskField[] = ['description', 'prompt', 'result', 'metadata']
/** Of the fields that every list shows, those that a caller or a model words. */
const LONG: readonly TaskField[] = [
  'title',
  'sourceId',
  'sourceUrl',
  'repository',
  'branch',
  'labels',
  'assignedAgent',
  'error',
]
/** What a task is created with and keeps, and nobody looks for. */
const FIXED: readonly TaskField[] = [
  'sourceId',
  'sourceUrl',
  'branch',
  'assignedAgent',
  'maxAttempts',
  'createdBy',
  'retriedFrom',
]
// What was asked for comes first, as in the row that a create makes.
const ALL_FIELDS = [
  ...new Set([...Object.keys(CreateTaskSchema.shape), ...Object.keys(TaskSchema.shape)]),
  'fence',
  'leaseExpiresAt',
] as TaskField[]

export const tasks = collection<TaskRow>({
  name: 'tasks',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, byStatus: { within: 'status', by: 'createdAt' } },
  detail: HEAVY,
  summary: ALL_FIELDS.filter((field) => !HEAVY.includes(field)),
  long: LONG,
  fixed: FIXED,
})

export const taskEvents = collection<TaskEvent>({
  name: 'taskEvents',
  within: 'taskId',
  key: 'id',
  indexes: { ofTask: { within: 'taskId', by: 'id' } },
  summary: TaskEventSchema.keyof().options,
})

/** The answer to a create that carried an `Idempotency-Key`, kept for a day. */
export type CreateReplay = { key: string; bodyHash: string; task: Task; born?: string; expiresAt: number }

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
    born: undefined,
    last: undefined,
  }
  return task
}
