import type { Clock } from '../ports/clock.ts'
import type { Outgoing } from '../ports/queue.ts'
import type { TaskRow } from './rows.ts'
import type { RunTask } from './schema.ts'

export type MessageFor = ReturnType<typeof createMessageFor>

/** What the message of a task's next attempt says. */
export const createMessageFor = ({ clock }: { clock: Pick<Clock, 'now'> }) => {
  /** What is left of a backoff; a clock that stepped back does not make it longer than it was. */
  const remainingMs = ({ nextAttemptAt, updatedAt }: TaskRow) => {
    if (nextAttemptAt === undefined) return 0
    const dueAt = Date.parse(nextAttemptAt)
    return Math.max(0, dueAt - Math.max(clock.now(), Date.parse(updatedAt)))
  }

  /** Tasks of one repository, else of one caller, share a turn. */
  return (row: TaskRow): Outgoing<RunTask> => ({
    body: { taskId: row.id, attempt: row.attempts + 1 },
    priority: row.priority,
    delayMs: remainingMs(row),
    group: row.repository ?? row.createdBy,
  })
}
