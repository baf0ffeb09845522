import { collection } from '../core/collection.ts'
import { type Task, type TaskEvent, TaskSchema } from './schema.ts'

/** What is stored beside the public fields: who holds the task. */
export type TaskRow = Task & {
  /** Grows with every claim; a write of a run carries the number it was started under. */
  fence: number
  /** Epoch milliseconds until which the holder of the task counts as alive. */
  leaseExpiresAt?: number
}

type TaskField = Extract<keyof TaskRow, string>
const HEAVY: readonly TaskField[] = ['description', 'prompt', 'result', 'metadata']
const ALL_FIELDS = [...Object.keys(TaskSchema.shape), 'fence', 'leaseExpiresAt'] as TaskField[]

export const tasks = collection<TaskRow>({
  name: 'tasks',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, byStatus: { within: 'status', by: 'createdAt' } },
  detail: HEAVY,
  summary: ALL_FIELDS.filter((field) => !HEAVY.includes(field)),
})

export const taskEvents = collection<TaskEvent>({
  name: 'taskEvents',
  within: 'taskId',
  key: 'id',
  indexes: { ofTask: { within: 'taskId', by: 'id' } },
})

/** The answer to a create that carried an `Idempotency-Key`, kept for a day. */
export type CreateReplay = { key: string; bodyHash: string; task: Task; expiresAt: number }

export const createReplays = collection<CreateReplay>({
  name: 'createReplays',
  key: 'key',
  indexes: {},
  detail: ['task'],
  expires: 'expiresAt',
})

/** A stored row as the API shows it. */
export const publicTask = ({ fence: _fence, leaseExpiresAt: _lease, ...task }: TaskRow): Task => task
