import type { Change, Message } from '../core/collection.ts'
import { isFinal } from './machine.ts'
import type { EmittedEntry, SentTask, TaskLogEntry } from './schema.ts'

const tracedBy = ({ trace }: SentTask) => (trace ? { trace } : {})

/**
 * The message of a task's next attempt. Its group is the repository, else the caller. A
 * repository that lies elsewhere, because the task has long texts, leaves it to the caller.
 */
const runMessage = (row: SentTask): Message => ({
  to: 'run',
  id: `${row.id}:${row.attempts + 1}`,
  body: { taskId: row.id, attempt: row.attempts + 1, ...tracedBy(row) },
  priority: row.priority,
  ...(row.nextAttemptAt === undefined ? {} : { notBefore: row.nextAttemptAt }),
  group: row.repository ?? row.createdBy,
  rebuilt: true,
})

const emittedMessage = (row: SentTask, { id, type, attempt, message, metadata }: TaskLogEntry): Message => {
  const { code } = metadata ?? {}
  const entry: EmittedEntry = {
    ...{ id, type },
    ...(attempt === undefined ? {} : { attempt }),
    ...(message === undefined ? {} : { message }),
    ...(typeof code === 'string' ? { code } : {}),
  }
  return {
    to: 'notices',
    id: `${id}:emitted`,
    body: { kind: 'emitted', taskId: row.id, entry, ...tracedBy(row) },
  }
}

/** Takes back what a task waited for. */
const endedWait = ({ before, after, log }: Change<SentTask>): Message[] => {
  if (before?.waitingFor === undefined || after === undefined || !isFinal(after.status)) return []
  const { id: endedTaskId, createdBy: userId } = after
  const id = `${log.at(-1)?.id ?? endedTaskId}:waited`
  return [{ to: 'turns', id, body: { endedTaskId, userId }, group: userId }]
}

/**
 * A task that becomes queued is to be run. Notices carry the end of one that is watched, and each entry that is emitted; the
 * end of one that waited for approvals takes those back.
 */
export const sendsOf = (change: Change<SentTask>): Message[] => {
  const { before, after, log } = change
  if (after === undefined || before?.status === after.status) return []
  const entries = log as readonly TaskLogEntry[]
  const emitted = entries.filter((entry) => entry.emitted).map((entry) => emittedMessage(after, entry))
  const sends = [...emitted, ...endedWait(change)]
  if (after.status === 'queued') return [runMessage(after), ...sends]
  if (before === undefined || !after.watched || !isFinal(after.status)) return sends
  const id = log.at(-1)?.id ?? `${after.id}:${after.attempts}`
  return [{ to: 'notices', id, body: { kind: 'ended', taskId: after.id, ...tracedBy(after) } }, ...sends]
}
