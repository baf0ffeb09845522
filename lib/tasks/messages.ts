import type { Change, Message } from '../core/collection.ts'
import { isFinal } from './machine.ts'
import type { SentTask } from './schema.ts'

/**
 * The message of a task's next attempt. Its group is the repository, else the caller. A
 * repository that lies elsewhere, because the task has long texts, leaves it to the caller.
 */
export const runMessage = (row: SentTask): Message => ({
  to: 'run',
  id: `${row.id}:${row.attempts + 1}`,
  body: { taskId: row.id, attempt: row.attempts + 1, ...(row.trace ? { trace: row.trace } : {}) },
  priority: row.priority,
  ...(row.nextAttemptAt === undefined ? {} : { notBefore: row.nextAttemptAt }),
  group: row.repository ?? row.createdBy,
  rebuilt: true,
})

/** A task that becomes queued is to be run; the end of one that is watched is to be told. */
export const sendsOf = ({ before, after, log }: Change<SentTask>): Message[] => {
  if (after === undefined || before?.status === after.status) return []
  if (after.status === 'queued') return [runMessage(after)]
  if (before === undefined || !after.watched || !isFinal(after.status)) return []
  const id = log.at(-1)?.id ?? `${after.id}:${after.attempts}`
  return [{ to: 'notices', id, body: { kind: 'ended', taskId: after.id } }]
}
