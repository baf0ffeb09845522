import { type Backoff, backoffMs } from '../core/backoff.ts'
import { messageOf } from '../core/errors.ts'
import { persist } from '../core/persist.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { TaskError } from '../tasks/schema.ts'
import type { Ended } from './run.ts'
import type { Claimed, RunWrites } from './run-writes.ts'

export type RetryPolicy = Pick<Backoff, 'baseMs' | 'type'>

type Needs = {
  runs: RunWrites
  retryPolicy: () => RetryPolicy
  random: () => number
  timeoutMs: number
  clock: Clock
  log: Log
}

/** Writes what a run came to, again and again for a moment if storage refuses. */
export const createEnding = (needs: Needs) => {
  const { runs, clock, log } = needs

  const settle = (task: Claimed, ended: Ended): Promise<unknown> => {
    if (ended.kind === 'succeeded') return runs.succeed(task, ended.result)
    if (ended.kind === 'failed') return fail(task, ended.error, ended.retryable)
    switch (ended.reason) {
      case 'timeout':
        return fail(task, timedOut(needs.timeoutMs), true)
      case 'shutdown':
        return runs.release(task, 'The service shut down while the task ran')
      default:
        // Cancelled, or held by another: whoever did that has written what is to be known.
        return NOTHING
    }
  }

  /** The failure handler: tries again after a backoff while attempts are left, else gives the task up. */
  const fail = (task: Claimed, error: TaskError, retryable: boolean) => {
    const { id: taskId, attempts: attempt } = task
    log.info({ taskId, attempt, code: error.code, reason: messageOf(error.message, 200) }, 'attempt failed')
    if (!retryable || attempt >= task.maxAttempts) return runs.exhaust(task, error)
    return runs.retry(task, error, backoffMs({ attempt, ...needs.retryPolicy(), random: needs.random }))
  }

  return (task: Claimed, ended: Ended, isVoid: () => boolean): Promise<unknown> =>
    // The next claim would carry the number of one that never was: its end must not be written under that.
    persist(() => (isVoid() ? NOTHING : settle(task, ended)), clock)
}

const NOTHING = Promise.resolve()

const timedOut = (timeoutMs: number): TaskError => ({
  code: 'timeout',
  message: `The agent did not finish within ${timeoutMs} ms`,
})
