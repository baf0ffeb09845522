import type { TaskError, TaskRow } from '../tasks/schema.ts'

/** A failed attempt, as its agent reported it. */
export type Failure = {
  error: TaskError
  retryable: boolean
  /** The next attempt begins no earlier. */
  retryAfterMs?: number
  /** The attempt was refused before any work, as by an open circuit breaker. */
  refused?: boolean
}

/** A task fails after this many refusals in a row; with waits of up to five minutes it outlasts a day of them. */
const MOST_REFUSALS = 300

type Tried = Pick<TaskRow, 'attempts' | 'maxAttempts' | 'refusals'>

/** What follows a failed attempt: another one, also where this one is not counted, or the end of the task. */
export const afterFailure = (
  { attempts, maxAttempts, refusals = 0 }: Tried,
  { retryable, refused }: Failure,
): 'retry' | 'retry uncounted' | 'fail' => {
  if (!retryable) return 'fail'
  if (refused) return refusals < MOST_REFUSALS ? 'retry uncounted' : 'fail'
  return attempts < maxAttempts ? 'retry' : 'fail'
}
