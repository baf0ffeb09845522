import { Problem } from '../core/errors.ts'
import { RunStopped, type StopReason } from './stop.ts'

/** A run in this process. */
export type ActiveRun = { taskId: string; stop(reason: StopReason): void; beat(): void }

/**
 * The runs of this process: who is to hear of a cancel, a heartbeat, a shutdown. There are a few hundred at most, so
 * they are simply gone through. A task can have two here for a moment: a run that was told to stop, and the next one.
 */
export const createActiveRuns = () => {
  const runs = new Set<ActiveRun>()
  let stopped: StopReason | undefined
  return {
    add: (run: ActiveRun) => {
      runs.add(run)
      if (stopped !== undefined) run.stop(stopped)
    },
    remove: (run: ActiveRun) => {
      runs.delete(run)
    },
    has: (taskId: string): boolean => [...runs].some((run) => run.taskId === taskId),
    stop: (taskId: string, reason: StopReason) => {
      for (const run of runs) if (run.taskId === taskId) run.stop(reason)
    },
    /** Stops every run, those to come included: what was being claimed or waited for room must not outlive the rest. */
    stopAll: (reason: StopReason) => {
      stopped = reason
      for (const run of runs) run.stop(reason)
    },
    /** Throws Problem `unavailable` after `stopAll`, so that the queue keeps the message. */
    refuseIfStopped: () => {
      if (stopped !== undefined)
        throw new Problem('unavailable', 'worker_stopped', 'The worker takes no more work')
    },
    beat: () => {
      for (const run of runs) run.beat()
    },
  }
}

export type ActiveRuns = ReturnType<typeof createActiveRuns>

/**
 * The stop of one run, and why it came once it did. The first reason stays. The abort signal is made when somebody
 * looks at it: an agent that is done at once does not pay for it.
 */
export const createStop = () => {
  let controller: AbortController | undefined
  let reason: StopReason | undefined
  let hear: (() => void) | undefined
  return {
    get signal(): AbortSignal {
      controller ??= new AbortController()
      if (reason !== undefined && !controller.signal.aborted) controller.abort(new RunStopped(reason))
      return controller.signal
    },
    stop: (why: StopReason) => {
      if (reason !== undefined) return
      reason = why
      controller?.abort(new RunStopped(why))
      hear?.()
    },
    /** Calls back once it has stopped. */
    onStop: (call: () => void) => {
      hear = call
    },
    get reason() {
      return reason
    },
  }
}

export type Stop = ReturnType<typeof createStop>
