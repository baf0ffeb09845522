import { Problem } from '../core/errors.ts'
import { RunStopped, type StopReason } from './stop.ts'

/** A run in this process. */
export type ActiveRun = { taskId: string; stop(reason: StopReason): void; beat(): void }

/** The runs of this process: who is to hear of a cancel, a heartbeat, a shutdown. */
export const createActiveRuns = () => {
  const runs = new Map<string, Set<ActiveRun>>()
  const all = () => [...runs.values()].flatMap((set) => [...set])
  let stopped: StopReason | undefined
  return {
    // A task can have two runs here for a moment: one that was told to stop, and the next attempt.
    add: (run: ActiveRun) => {
      const set = runs.get(run.taskId)
      if (set) set.add(run)
      else runs.set(run.taskId, new Set([run]))
      if (stopped !== undefined) run.stop(stopped)
    },
    remove: (run: ActiveRun) => {
      const set = runs.get(run.taskId)
      set?.delete(run)
      if (set?.size === 0) runs.delete(run.taskId)
    },
    has: (taskId: string): boolean => runs.has(taskId),
    stop: (taskId: string, reason: StopReason) => {
      for (const run of runs.get(taskId) ?? []) run.stop(reason)
    },
    /** Stops every run, those to come included: what was being claimed or waited for room must not outlive the rest. */
    stopAll: (reason: StopReason) => {
      stopped = reason
      for (const run of all()) run.stop(reason)
    },
    /** Throws Problem `unavailable` after `stopAll`, so that the queue keeps the message. */
    refuseIfStopped: () => {
      if (stopped !== undefined)
        throw new Problem('unavailable', 'worker_stopped', 'The worker takes no more work')
    },
    beat: () => {
      for (const run of all()) run.beat()
    },
    get size() {
      return runs.size
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
