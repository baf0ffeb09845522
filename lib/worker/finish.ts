import { type Backoff, backoffMs } from '../core/backoff.ts'
import { errorMessage } from '../core/errors.ts'
import { questionIn } from '../core/question.ts'
import { retry } from '../core/retry.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { publicTask, type Task, type TaskResult } from '../tasks/schema.ts'
import type { Leased, LeaseWrites } from './active.ts'
import type { Gate } from './gate.ts'
import type { Ended } from './run.ts'

type RetryPolicy = Pick<Backoff, 'baseMs' | 'type'>
type FailedRun = Extract<Ended, { kind: 'failed' }>
type SucceededRun = Extract<Ended, { kind: 'succeeded' }>

/** The longest backoff after refused attempts: soon after the end of a long refusal, the task is tried. */
const LONGEST_REFUSAL_MS = 300_000

type Needs = {
  lease: Pick<LeaseWrites, 'succeed' | 'retry' | 'fail' | 'release' | 'keepCost' | 'suspend'>
  gate: Pick<Gate, 'reasonToWait'>
  retryPolicy: () => RetryPolicy
  random: () => number
  clock: Clock
  log: Log
  /** Called with the outcome of a task after it is stored; never rejects. */
  learn: (task: Task, result: TaskResult) => Promise<void>
  /** Reads which users are told of the ends of their tasks, where that may have changed. */
  refreshReaders: () => Promise<void>
  /** Withdraws the approvals of a task that has ended. */
  withdrawIfOver: (task: Pick<Task, 'id' | 'createdBy'>) => Promise<void>
}

/** Writes the outcome of a run, with a few retries when storage fails. */
export const createFinish = (needs: Needs) => {
  const { lease, gate, retryPolicy, random, clock, log, withdrawIfOver, learn } = needs
  /** The next attempt comes after a backoff, and not before the time that the failure names. */
  const failAttempt = async (task: Leased, failed: FailedRun) => {
    const { error, next, retryAfterMs = 0, result, continuation } = failed
    const left = { result, continuation }
    const { id: taskId, attempts: attempt, refusals = 0 } = task
    const isCounted = next !== 'retry uncounted'
    const failure = { code: error.code, reason: errorMessage(error.message, 200) }
    log.info(
      { taskId, attempt, ...task.trace, ...failure, ...(!isCounted && { counted: false }) },
      'attempt failed',
    )
    if (next === 'fail') return lease.fail(task, error, left)
    const { baseMs, type } = retryPolicy()
    const waitMs = isCounted
      ? backoffMs({ attempt, baseMs, type, random })
      : backoffMs({ attempt: refusals + 1, baseMs, type: 'exponential', random, maxMs: LONGEST_REFUSAL_MS })
    const delayMs = Math.max(waitMs, retryAfterMs)
    const waiting = isCounted ? undefined : await gate.reasonToWait(task)
    return lease.retry(task, error, delayMs, { ...left, isCounted, waiting })
  }

  const succeed = async (task: Leased, { result, continuation }: SucceededRun) => {
    // A turn that ends with a question has solved nothing yet.
    const hasSolved = questionIn(result) === undefined
    if ((await lease.succeed(task, result, continuation)) && hasSolved) await learn(publicTask(task), result)
  }

  const write = async (task: Leased, ended: Ended): Promise<unknown> => {
    if (ended.kind === 'succeeded') return succeed(task, ended)
    if (ended.kind === 'failed') return failAttempt(task, ended)
    if (ended.kind === 'waiting') return lease.suspend(task, ended)
    if (ended.reason === 'shutdown')
      return lease.release(task, 'The service shut down while the task ran', {
        isUnbegun: ended.isUnbegun === true,
      })
    // The task was cancelled or leased to another worker, and that write has logged it.
    return lease.keepCost(task)
  }

  return async (task: Leased, ended: Ended): Promise<void> => {
    await retry(needs.refreshReaders, clock)
    await retry(() => write(task, ended), clock)
    // A successful run waits for no approval; any other run may have been cancelled while it asked for one.
    if (ended.kind !== 'succeeded') await retry(() => withdrawIfOver(task), clock)
  }
}
