import { taskFailure } from './task-failure.ts'

/** The longest time that an approval with an expiry waits for its decision: a year. */
export const LONGEST_APPROVAL_MS = 365 * 86_400_000

/** The failure of a task whose approval was not decided in time. It is not retried: it would ask once more. */
export const approvalExpired = () =>
  taskFailure('invalid', 'approval_expired', 'A tool call was not decided in time', false)
