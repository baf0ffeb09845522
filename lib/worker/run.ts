import { messageOf } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import type { AgentAdapter, AgentContext, AgentTask, RunProgram } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { LoopEvent } from '../ports/tool.ts'
import { workspaceName } from '../ports/workspace.ts'
import type { Leased, LeasedRun } from './leased.ts'
import { createOutcomes, type Outcome, type Outcomes } from './outcome.ts'
import type { StopReason } from './stop.ts'

/** The events of one run, for those who follow the task. What it is told last is how the run ended. */
export type RunEvents = {
  observe(event: LoopEvent): void
  /** Resolves when the events are stored; undefined when there are none. Never rejects. */
  end(ended: Ended): Promise<void> | undefined
}

export type OpenRunEvents = (task: Leased) => RunEvents

type Needs = {
  clock: Clock
  timeoutMs: number
  runProgram: RunProgram
  masker: Masker
  openEvents: OpenRunEvents
}

/** An agent that was told to stop has this long before its slot is taken from it. */
const STOP_GRACE_MS = 2_000
const LONGEST_PROGRESS = 2_000
/** Progress events that one attempt may leave; what it says after them renews the lease only. */
const MOST_PROGRESS = 1_000

/** How a run ended: by its agent, or because it was stopped. */
export type Ended = Outcome | { kind: 'stopped'; reason: StopReason }

/**
 * Runs an agent on a leased task until it is done or stopped: by a cancel, the loss of its lease, a shutdown, or after
 * `timeoutMs`. Never rejects. An agent that ignores its signal is abandoned; what it still says is not heard. What an
 * agent says, returns or throws is masked here, whichever agent it is.
 */
export const createRunner = ({ clock, timeoutMs, runProgram, masker, openEvents }: Needs) => {
  const outcomes = createOutcomes(masker)
  return (
    { task: leased, stopped, beat }: LeasedRun,
    task: AgentTask,
    agent: AgentAdapter,
    checkpoint: object | undefined,
  ) =>
    new Promise<Ended>((resolve) => {
      const { attempts: attempt } = leased
      const events = openEvents(leased)
      let told = 0
      let over = false
      const maskNext = masker.stream()
      const cancelTimeout = clock.after(timeoutMs, () => stopped.stop('timeout'))
      const end = (ended: Outcome) => {
        cancelTimeout()
        over = true
        stopped.end()
        const reason = stopped.reason()
        const outcome: Ended = reason === undefined ? ended : { kind: 'stopped', reason }
        // Stored before the end of the run is: who sees that the task has ended finds all events.
        const stored = events.end(outcome)
        if (stored === undefined) resolve(outcome)
        else stored.then(() => resolve(outcome))
      }
      const observe = (event: LoopEvent) => {
        if (!over) events.observe(event)
      }
      const progress = (message: unknown) => {
        if (over || stopped.reason() !== undefined) return
        beat(told++ < MOST_PROGRESS ? messageOf(message, LONGEST_PROGRESS, maskNext) : undefined)
      }
      const giveUp = () => end(outcomes.ofThrown(stopped.signal.reason))
      if (stopped.reason() !== undefined) return giveUp()
      stopped.onStop(() => clock.after(STOP_GRACE_MS, giveUp))
      const { signal } = stopped
      const run: AgentContext['run'] = (file, args) =>
        runProgram(workspaceName(task.id, attempt), file, args, signal)
      call(outcomes, agent, task, {
        signal,
        attempt,
        progress,
        observe,
        run,
        ...(checkpoint && { checkpoint }),
      }).then(end)
    })
}

/** Calls the agent; whatever it does, it comes to an outcome. */
const call = (
  { ofReturned, ofThrown }: Outcomes,
  agent: AgentAdapter,
  task: AgentTask,
  context: AgentContext,
): Promise<Outcome> => {
  try {
    return Promise.resolve(agent.execute(task, context)).then(ofReturned, ofThrown)
  } catch (thrown) {
    return Promise.resolve(ofThrown(thrown))
  }
}
