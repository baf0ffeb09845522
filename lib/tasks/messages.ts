import { LONGEST_BACKOFF_MS } from '../core/backoff.ts'
import type { Clock } from '../ports/clock.ts'
import type { Outgoing } from '../ports/queue.ts'
import type { TaskRow } from './rows.ts'
import type { RunTask } from './schema.ts'

export type MessageFor = ReturnType<typeof createMessageFor>

/** What the message of a task's next attempt says. */
export const createMessageFor = ({ clock }: { clock: Pick<Clock, 'now'> }) => {
  /** What is left of a backoff; a clock that stepped back does not make it longer than any backoff is. */
  const remainingMs = ({ nextAttemptAt }: TaskRow) =>
    nextAttemptAt === undefined
      ? 0
      : Math.min(Math.max(0, Date.parse(nextAttemptAt) - clock.now()), LONGEST_BACKOFF_MS)

  /** Tasks of one repository, else of one caller, share a turn. */
  return (row: TaskRow): Outgoing<RunTask> => ({
    body: { taskId: row.id, attempt: row.attempts + 1 },
    priority: row.priority,
    delayMs: remainingMs(row),
    group: row.repository ?? row.createdBy,
  })
}
