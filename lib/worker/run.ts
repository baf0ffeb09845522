import { messageOf } from '../core/errors.ts'
import type { AgentAdapter, AgentContext, AgentTask } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { Held } from './held.ts'
import { failureOf, type Outcome, outcomeOf } from './outcome.ts'
import type { StopReason } from './stop.ts'

type Needs = { clock: Clock; timeoutMs: number }

/** An agent that was told to stop has this long before its slot is taken from it. */
const STOP_GRACE_MS = 2_000
const LONGEST_PROGRESS = 2_000
/** Progress events that one attempt may leave; what it says after them renews the lease only. */
const MOST_PROGRESS = 1_000

/** How a run ended: by its agent, or because it was stopped. */
export type Ended = Outcome | { kind: 'stopped'; reason: StopReason }

/**
 * Runs an agent on a held task until it is done or stopped: by a cancel, the loss of its lease, a shutdown, or after
 * `timeoutMs`. Never rejects. An agent that ignores its signal is abandoned; what it still says is not heard.
 */
export const createRunner = ({ clock, timeoutMs }: Needs) => {
  return ({ task: { attempts: attempt }, stopped, beat }: Held, task: AgentTask, agent: AgentAdapter) =>
    new Promise<Ended>((resolve) => {
      let told = 0
      let over = false
      const cancelTimeout = clock.after(timeoutMs, () => stopped.stop('timeout'))
      const end = (ended: Outcome) => {
        cancelTimeout()
        over = true
        stopped.end()
        const reason = stopped.reason()
        resolve(reason === undefined ? ended : { kind: 'stopped', reason })
      }
      const progress = (message: unknown) => {
        if (over || stopped.reason() !== undefined) return
        beat(told++ < MOST_PROGRESS ? messageOf(message, LONGEST_PROGRESS) : undefined)
      }
      const giveUp = () => end(failureOf(stopped.signal.reason))
      if (stopped.reason() !== undefined) return giveUp()
      stopped.onStop(() => clock.after(STOP_GRACE_MS, giveUp))
      call(agent, task, { signal: stopped.signal, attempt, progress }).then(end)
    })
}

/** Calls the agent; whatever it does, it comes to an outcome. */
const call = (agent: AgentAdapter, task: AgentTask, context: AgentContext): Promise<Outcome> => {
  try {
    return Promise.resolve(agent.execute(task, context)).then(outcomeOf, failureOf)
  } catch (thrown) {
    return Promise.resolve(failureOf(thrown))
  }
}
