import { messageOf } from '../core/errors.ts'
import type { AgentAdapter, AgentTask } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { type ActiveRuns, createStop, type Stop } from './active.ts'
import { failureOf, type Outcome, outcomeOf } from './outcome.ts'
import type { StopReason } from './stop.ts'

type Needs = { active: ActiveRuns; clock: Clock; log: Log; timeoutMs: number }

/** One attempt of one task: what to run, and how to keep the task while it runs. */
export type Attempt = {
  task: AgentTask
  attempt: number
  agent: AgentAdapter
  /** Renews the lease, with a progress event when there is something to tell. False when the task is lost. */
  renew(message?: string): Promise<boolean>
}

/** An agent that was told to stop has this long before its slot is taken from it. */
const STOP_GRACE_MS = 2_000
const LONGEST_PROGRESS = 2_000
/** Progress events that one attempt may leave; what it says after them renews the lease only. */
const MOST_PROGRESS = 1_000

/** How a run ended: by its agent, or because it was stopped. */
export type Ended = Outcome | { kind: 'stopped'; reason: StopReason }

/**
 * Runs an agent until it is done or stopped: by a cancel, the loss of its lease, a shutdown, or after `timeoutMs`.
 * Never rejects. An agent that ignores its signal is abandoned; what it still returns is not heard.
 */
export const createRunner = ({ active, clock, log, timeoutMs }: Needs) => {
  return async ({ task, attempt, agent, renew }: Attempt): Promise<Ended> => {
    const stop = createStop()
    let over = false
    let told = 0
    const beat = (message?: string) => {
      renew(message).then(
        (held) => held || stop.stop('lost'),
        // The lease outlives several heartbeats, so one that fails is no reason to stop.
        (thrown) => log.warn({ taskId: task.id, reason: messageOf(thrown) }, 'heartbeat failed'),
      )
    }
    const run = { taskId: task.id, stop: stop.stop, beat: () => beat() }
    const progress = (message: unknown) => {
      if (over || stop.reason !== undefined) return
      beat(told++ < MOST_PROGRESS ? messageOf(message, LONGEST_PROGRESS) : undefined)
    }
    active.add(run)
    const cancelTimeout = clock.after(timeoutMs, () => stop.stop('timeout'))
    try {
      if (stop.reason !== undefined) return { kind: 'stopped', reason: stop.reason }
      const context = {
        get signal() {
          return stop.signal
        },
        attempt,
        progress,
      }
      const ended = await Promise.race([call(agent, task, context), abandoned(stop, clock)])
      return stop.reason === undefined ? ended : { kind: 'stopped', reason: stop.reason }
    } finally {
      over = true
      cancelTimeout()
      active.remove(run)
    }
  }
}

const call = async (agent: AgentAdapter, ...with_: Parameters<AgentAdapter['execute']>): Promise<Outcome> => {
  try {
    return outcomeOf(await agent.execute(...with_))
  } catch (thrown) {
    return failureOf(thrown)
  }
}

/** Resolves when the agent has had its grace after the stop; before one, never. */
const abandoned = (stop: Stop, clock: Clock): Promise<Outcome> =>
  new Promise((resolve) => {
    stop.onStop(() => clock.after(STOP_GRACE_MS, () => resolve(failureOf(stop.signal.reason))))
  })
