import { collection } from '../core/collection.ts'
import type { TaskStatus, TaskVerb } from './machine.ts'
import { CreateTaskSchema, type Task, type TaskEvent, TaskEventSchema, TaskSchema } from './schema.ts'

/** What an event says beside what happened to which task, and when. */
export type EventText = Pick<TaskEvent, 'message' | 'agent' | 'attempt' | 'metadata'>

/**
 * How a task came to be: the id of its `created` event (the one after it is that of the first `queued`), the state it
 * was stored in, and for an imported one when that was.
 */
export type Birth = { id: string; as: TaskStatus; imported?: string }
/** The last move that an event follows from: the event's id, the way, and what of its text the row does not say. */
export type LastMove = { id: string; verb: TaskVerb; from: TaskStatus; to: TaskStatus; text?: EventText }

/** What is stored beside the public fields: who holds the task, and what follows from its last write. */
export type TaskRow = Task & {
  /** Grows with every claim; a write of a run carries the number it was started under. */
  fence: number
  /** Epoch milliseconds until which the holder of the task counts as alive. */
  leaseExpiresAt?: number
  /** Where storage writes the row first and what follows from it next: enough for anybody to finish that. */
  born?: Birth
  last?: LastMove
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
})

export const taskEvents = collection<TaskEvent>({
  name: 'taskEvents',
  within: 'taskId',
  key: 'id',
  indexes: { ofTask: { within: 'taskId', by: 'id' } },
  summary: TaskEventSchema.keyof().options,
})

/** The answer to a create that carried an `Idempotency-Key`, kept for a day. */
export type CreateReplay = { key: string; bodyHash: string; task: Task; born?: Birth; expiresAt: number }

export const createReplays = collection<CreateReplay>({
  name: 'createReplays',
  key: 'key',
  indexes: {},
  detail: ['task'],
  expires: 'expiresAt',
})

/** A stored row as the API shows it. */
export const publicTask = ({
  fence: _fence,
  leaseExpiresAt: _lease,
  born: _born,
  last: _last,
  ...task
}: TaskRow): Task => task
