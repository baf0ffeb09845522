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

/** A claim. `durable` resolves when a death of the process cannot undo it, and rejects when it is void. */
export type Claim = { task: Claimed; durable: Promise<void> }

/** The writes of a run; those with `held` apply only while the task is held under the same fencing number. */
export type RunWrites = {
  claim(message: RunTask): Promise<Claim | undefined>
  claimAhead(message: RunTask): Promise<Claim | undefined>
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
  /** Whether a run may begin before its claim is durable: not when the last process died over one. */
  mayRunAhead: () => boolean
  /** Gives the message of a claim that came to nothing back to the queue. */
  sendAgain: (task: Claimed) => Promise<unknown>
  retryPolicy: () => RetryPolicy
  random: () => number
  timeoutMs: number
  clock: Clock
  log: Log
}

/** Ends of runs that may wait to be written at once; past them a slot waits for its own. */
const MOST_ENDING = 256

/**
 * Runs the tasks that messages name: claims, runs the agent, writes what came of it. A slot is for running agents: it
 * is free for the next task while the end of the last one is still being written.
 */
export const createWorker = (needs: Needs) => {
  const { runs, pool, clock, log, active } = needs
  const execute = createRunner(needs)
  const ending = new Set<Promise<void>>()

  const runClaimed = async ({ task, durable }: Claim): Promise<void> => {
    const voided = durable.catch(() => {
      active.stop(task.id, 'lost')
      return needs.sendAgain(task)
    })
    const ended = await runAgent(task)
    const written = Promise.all([
      voided,
      holding(task, () => persist(() => settle(task, ended), clock)),
    ]).then(
      () => undefined,
      // Nothing is lost: the lease runs out, and the next tick takes the task up again.
      (thrown) =>
        log.error({ taskId: task.id, reason: messageOf(thrown) }, 'the end of a run was not written'),
    )
    ending.add(written)
    const over = written.then(() => void ending.delete(written))
    if (ending.size > MOST_ENDING) await over
  }

  const runAgent = async (task: Claimed): Promise<Ended> => {
    const agent = needs.agent(task.agent)
    if (!agent) {
      const message = `No agent of type ${task.agent} is registered here; set AGENT_ADAPTERS or choose another`
      return { kind: 'failed', error: { code: 'agent_unavailable', message }, retryable: false }
    }
    const renew = (message?: string) => runs.renew(task, message)
    return execute({ task: agentView(task), attempt: task.attempts, agent, renew })
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

  return {
    /**
     * Resolves when the slot is free again, also when there was nothing to do; rejects when the claim could not be
     * written, so that the queue brings the message again.
     */
    run: async (message: RunTask): Promise<void> => {
      // Room first, claim second: a claimed task that waits for room would hold a lease and do nothing.
      await pool.acquire()
      try {
        active.refuseIfStopped()
        const claim = await (needs.mayRunAhead() ? runs.claimAhead(message) : runs.claim(message))
        if (claim) await runClaimed(claim)
      } finally {
        pool.release()
      }
    },
    /** Resolves when the ends of all runs so far are written. */
    settled: async (): Promise<void> => void (await Promise.all(ending)),
  }
}

/** The public task; who holds it is nobody's business but ours. */
const agentView = ({ fence: _fence, leaseExpiresAt: _lease, ...task }: Claimed) => task
