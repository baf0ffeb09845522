import { messageOf, Problem } from '../core/errors.ts'
import type { Log } from '../ports/log.ts'
import type { RunTask, TaskError, TaskResult, TaskRow } from '../tasks/schema.ts'

/** Why a run was stopped before its agent was done. */
export type StopReason = 'cancelled' | 'lost' | 'timeout' | 'shutdown'

const texts: Readonly<Record<StopReason, string>> = {
  cancelled: 'The task was cancelled',
  lost: 'The task is held by another worker now',
  timeout: 'The agent did not finish in time',
  shutdown: 'The service is shutting down',
}

/** The reason that an agent finds on its abort signal. */
class RunStopped extends Error {
  readonly code: StopReason

  constructor(code: StopReason) {
    super(texts[code])
    this.name = 'RunStopped'
    this.code = code
  }
}

/** A run in this process. `beat` renews its lease; `check` only looks whether the task is still its own. */
type ActiveRun = {
  taskId: string
  stop(reason: StopReason): void
  beat(): void
  check(): void
  place?: number
}

/**
 * The runs of this process, for cancels, heartbeats and a shutdown. There are a few hundred at most, so a list is scanned. A
 * task can have two here for a moment: a run that is being stopped, and the next one.
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

type ActiveRuns = ReturnType<typeof createActiveRuns>

/**
 * The stop of one run, and why it came once it did. The first reason stays. No accessors here: an object literal with
 * one gets a hidden class of its own, which keeps all that the run refers to alive for long.
 */
const createStop = () => {
  const controller = new AbortController()
  let reason: StopReason | undefined
  let over = false
  let onStopped: (() => void) | undefined
  return {
    signal: controller.signal,
    stop: (why: StopReason) => {
      if (over || reason !== undefined) return
      reason = why
      controller.abort(new RunStopped(why))
      onStopped?.()
    },
    /** Calls back once it has stopped. */
    onStop: (call: () => void) => {
      onStopped = call
    },
    reason: () => reason,
    /** The agent is done: a later stop is not passed on to it. */
    end: () => {
      over = true
    },
  }
}

type Stop = ReturnType<typeof createStop>

/** A task that is leased to this worker. */
export type Leased = TaskRow

/** The writes of a worker; those with `leased` apply only while the task is leased under the same fencing token. */
export type LeaseWrites = {
  claim(message: RunTask): Promise<Leased | undefined>
  renew(leased: Leased, message?: string): Promise<boolean>
  isLeased(leased: Leased): Promise<boolean>
  succeed(leased: Leased, result: TaskResult): Promise<unknown>
  retry(leased: Leased, error: TaskError, delayMs: number): Promise<unknown>
  fail(leased: Leased, error: TaskError): Promise<unknown>
  release(leased: Leased, reason: string): Promise<unknown>
  suspend(leased: Leased, waiting: { checkpoint: object; message: string }): Promise<unknown>
}

type Needs = { lease: Pick<LeaseWrites, 'renew' | 'isLeased'>; active: ActiveRuns; log: Log }

/** A leased task whose run is in the hands of this process. */
export type LeasedRun = ActiveRun & {
  task: Leased
  stopped: Stop
  /** Renews the lease, with a progress event when there is a message; the run of a task that is lost is stopped. */
  beat(message?: string): void
}

/** Takes a leased task among the active runs, where cancel, heartbeat and shutdown find it. */
export const createLeasedRuns = ({ lease, active, log }: Needs) => {
  return (task: Leased): LeasedRun => {
    const stopped = createStop()
    const busy = { beat: 0, check: 0 }
    const stopIfLost = async (by: keyof typeof busy, ask: () => Promise<boolean>) => {
      busy[by] += 1
      try {
        if (!(await ask())) stopped.stop('lost')
      } catch (thrown) {
        // The lease outlives several heartbeats, so one that fails is no reason to stop.
        log.warn({ ...task.trace, taskId: task.id, reason: messageOf(thrown) }, 'heartbeat failed')
      } finally {
        busy[by] -= 1
      }
    }
    // Storage that is slow to answer is not asked the same again meanwhile: it would only become slower.
    const beat = (message?: string) => {
      if (message !== undefined || busy.beat === 0) void stopIfLost('beat', () => lease.renew(task, message))
    }
    const check = () => {
      if (busy.beat + busy.check === 0) void stopIfLost('check', () => lease.isLeased(task))
    }
    const run = { taskId: task.id, task, stopped, stop: stopped.stop, beat, check }
    active.add(run)
    return run
  }
}
