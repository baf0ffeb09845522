import { type Backoff, backoffMs } from '../core/backoff.ts'
import { messageOf } from '../core/errors.ts'
import { persist } from '../core/persist.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { RunTask, Task, TaskError, TaskResult } from '../tasks/schema.ts'
import type { ActiveRuns } from './active.ts'
import type { Pool } from './pool.ts'
import { createRunner, type Ended } from './run.ts'

/** A claimed task. */
export type Claimed = Task & { fence: number; leaseExpiresAt?: number }

/** The writes of a run; each but `start` applies only while the task is held under the same fencing number. */
export type RunWrites = {
  start(message: RunTask): Promise<Claimed | undefined>
  renew(held: Claimed, message?: string): Promise<boolean>
  succeed(held: Claimed, result: TaskResult): Promise<unknown>
  retry(held: Claimed, error: TaskError, delayMs: number): Promise<unknown>
  exhaust(held: Claimed, error: TaskError): Promise<unknown>
  release(held: Claimed, reason: string): Promise<unknown>
}

export type RetryPolicy = Pick<Backoff, 'baseMs' | 'type'>

type Needs = {
  runs: RunWrites
  agent: (type: string) => AgentAdapter | undefined
  active: ActiveRuns
  pool: Pool
  retryPolicy: () => RetryPolicy
  random: () => number
  timeoutMs: number
  clock: Clock
  log: Log
}

/**
 * Runs the task that a message names: claims it, runs its agent, writes what came of it. Resolves when the message
 * has done its work, also when there was nothing to do; rejects when storage failed, so that the queue brings it again.
 */
export const createWorker = (needs: Needs) => {
  const { runs, pool, clock, log } = needs
  const execute = createRunner(needs)

  const runClaimed = async (task: Claimed): Promise<void> => {
    const agent = needs.agent(task.agent)
    if (!agent) {
      const message = `No agent of type ${task.agent} is registered here; set AGENT_ADAPTERS or choose another`
      return void (await persist(() => runs.exhaust(task, { code: 'agent_unavailable', message }), clock))
    }
    const renew = (message?: string) => runs.renew(task, message)
    const ended = await execute({ task: agentView(task), attempt: task.attempts, agent, renew })
    await holding(task, () => persist(() => settle(task, ended), clock))
  }

  /** Until the end of a run is written its task stays ours: the heartbeat renews the lease, and no tick takes it. */
  const holding = async (task: Claimed, write: () => Promise<unknown>) => {
    const beat = () => {
      runs
        .renew(task)
        .catch((thrown) => log.warn({ taskId: task.id, reason: messageOf(thrown) }, 'heartbeat failed'))
    }
    const ending = { taskId: task.id, stop: () => undefined, beat }
    needs.active.add(ending)
    try {
      await write()
    } finally {
      needs.active.remove(ending)
    }
  }

  const settle = async (task: Claimed, ended: Ended): Promise<unknown> => {
    if (ended.kind === 'succeeded') return runs.succeed(task, ended.result)
    if (ended.kind === 'failed') return fail(task, ended.error, ended.retryable)
    switch (ended.reason) {
      case 'timeout':
        return fail(
          task,
          { code: 'timeout', message: `The agent did not finish within ${needs.timeoutMs} ms` },
          true,
        )
      case 'shutdown':
        return runs.release(task, 'The service shut down while the task ran')
      default:
        // Cancelled, or held by another: whoever did that has written what is to be known.
        return undefined
    }
  }

  /** The failure handler: tries again after a backoff while attempts are left, else gives the task up. */
  const fail = (task: Claimed, error: TaskError, retryable: boolean) => {
    const attempt = task.attempts
    log.info(
      { taskId: task.id, attempt, code: error.code, reason: messageOf(error.message, 200) },
      'attempt failed',
    )
    if (!retryable || attempt >= task.maxAttempts) return runs.exhaust(task, error)
    return runs.retry(task, error, backoffMs({ attempt, ...needs.retryPolicy(), random: needs.random }))
  }

  return async (message: RunTask): Promise<void> => {
    // Room first, claim second: a claimed task that waits for room would hold a lease and do nothing.
    await pool.acquire()
    try {
      needs.active.refuseIfStopped()
      const task = await runs.start(message)
      if (task) await runClaimed(task)
    } finally {
      pool.release()
    }
  }
}

/** The public task; who holds it is nobody's business but ours. */
const agentView = ({ fence: _fence, leaseExpiresAt: _lease, ...task }: Claimed) => task
