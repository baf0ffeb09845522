import { type Backoff, backoffMs } from '../core/backoff.ts'
import { messageOf } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { TaskError } from '../tasks/schema.ts'
import type { Leased, LeaseWrites } from './leased.ts'
import type { Ended } from './run.ts'

export type RetryPolicy = Pick<Backoff, 'baseMs' | 'type'>

type Needs = {
  lease: LeaseWrites
  retryPolicy: () => RetryPolicy
  random: () => number
  timeoutMs: number
  clock: Clock
  log: Log
}

/** Writes what a run came to, again and again for a moment if storage refuses. */
export const createFinishRun = ({ lease, retryPolicy, random, timeoutMs, clock, log }: Needs) => {
  /** The failure handler: tries again after a backoff while attempts are left, else fails the task. */
  const failAttempt = (task: Leased, error: TaskError, retryable: boolean) => {
    const { id: taskId, attempts: attempt } = task
    log.info(
      { taskId, attempt, ...task.trace, code: error.code, reason: messageOf(error.message, 200) },
      'attempt failed',
    )
    if (!retryable || attempt >= task.maxAttempts) return lease.fail(task, error)
    return lease.retry(task, error, backoffMs({ attempt, ...retryPolicy(), random }))
  }

  const write = async (task: Leased, ended: Ended): Promise<unknown> => {
    if (ended.kind === 'succeeded') return lease.succeed(task, ended.result)
    if (ended.kind === 'failed') return failAttempt(task, ended.error, ended.retryable)
    if (ended.kind === 'waiting') return lease.suspend(task, ended)
    if (ended.reason === 'timeout') return failAttempt(task, timedOut(timeoutMs), true)
    if (ended.reason === 'shutdown') return lease.release(task, 'The service shut down while the task ran')
    // Cancelled, or leased to another worker: that write has said what there is to say.
    return undefined
  }

  return (task: Leased, ended: Ended): Promise<unknown> => retry(() => write(task, ended), clock)
}

const timedOut = (timeoutMs: number): TaskError => ({
  code: 'timeout',
  message: `The agent did not finish within ${timeoutMs} ms`,
})
