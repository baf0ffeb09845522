import { Problem } from '../core/errors.ts'
import { RunStopped, type StopReason } from './stop.ts'

/** A run in this process. `beat` renews its lease; `check` only looks whether the task is still its own. */
export type ActiveRun = {
  taskId: string
  stop(reason: StopReason): void
  beat(): void
  check(): void
  place?: number
}

/**
 * The runs of this process: who is to hear of a cancel, a heartbeat, a shutdown. There are a few hundred at most, so
 * they are simply gone through. A task can have two here for a moment: a run that was told to stop, and the next one.
 * A list in which the last one takes the place of one that goes: a Set that changes this often leaves dead tables in
 * the old generation, and they keep every run that was ever in them alive until the next full collection.
 */
export const createActiveRuns = () => {
  const runs: ActiveRun[] = []
  let stopped: StopReason | undefined
  return {
    add: (run: ActiveRun) => {
      run.place = runs.push(run) - 1
      if (stopped !== undefined) run.stop(stopped)
    },
    remove: (run: ActiveRun) => {
      const last = runs.pop()
      if (last === undefined || last === run || run.place === undefined) return
      runs[run.place] = last
      last.place = run.place
    },
    has: (taskId: string): boolean => runs.some((run) => run.taskId === taskId),
    stop: (taskId: string, reason: StopReason) => {
      for (const run of runs) if (run.taskId === taskId) run.stop(reason)
    },
    /** Stops the runs that there are now. */
    stopNow: (reason: StopReason) => {
      for (const run of runs) run.stop(reason)
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
    /** For tasks that are cancelled in other processes. */
    check: () => {
      for (const run of runs) run.check()
    },
  }
}

export type ActiveRuns = ReturnType<typeof createActiveRuns>

/**
 * The stop of one run, and why it came once it did. The first reason stays. No accessors here: an object literal with
 * one gets a hidden class of its own, which keeps all that the run refers to alive for long.
 */
export const createStop = () => {
  const controller = new AbortController()
  let reason: StopReason | undefined
  let over = false
  let hear: (() => void) | undefined
  return {
    signal: controller.signal,
    stop: (why: StopReason) => {
      if (over || reason !== undefined) return
      reason = why
      controller.abort(new RunStopped(why))
      hear?.()
    },
    /** Calls back once it has stopped. */
    onStop: (call: () => void) => {
      hear = call
    },
    reason: () => reason,
    /** The agent is done: whatever comes now, it is not told. */
    end: () => {
      over = true
    },
  }
}

export type Stop = ReturnType<typeof createStop>
