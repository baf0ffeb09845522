import { addCost, type Cost } from '../core/cost.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import type { Log } from '../ports/log.ts'
import {
  type HeldPlaces,
  type LeftByAttempt,
  type QueuedWait,
  type RunTask,
  type TaskError,
  type TaskResult,
  type TaskRow,
  toThreadId,
} from '../tasks/schema.ts'

/** Why a run was stopped before its agent ended. */
export type StopReason = 'cancelled' | 'lost' | 'timeout' | 'shutdown'

const texts: Readonly<Record<StopReason, string>> = {
  cancelled: 'The task was cancelled',
  lost: 'The lease of the attempt has expired or passed to another worker',
  timeout: 'The agent did not finish in time',
  shutdown: 'The service is shutting down',
}

/** The reason of an agent's abort signal. */
class RunStopped extends Error {
  readonly code: StopReason

  constructor(code: StopReason) {
    super(texts[code])
    this.name = 'RunStopped'
    this.code = code
  }
}

type ActiveRun = {
  taskId: string
  threadId: string
  stop(reason: StopReason): void
  /** Renews its lease. */
  beat(): void
  /** Reads whether the lease is still its own. */
  check(): void
}

/** The runs of this process: a few hundred at most. A task may have two for a moment, one of which is being stopped. */
export const createActiveRuns = () => {
  const runs = new Set<ActiveRun>()
  let stopped: StopReason | undefined
  const stopNow = (reason: StopReason) => {
    for (const run of runs) run.stop(reason)
  }
  return {
    add: (run: ActiveRun) => {
      runs.add(run)
      if (stopped !== undefined) run.stop(stopped)
    },
    remove: (run: ActiveRun) => void runs.delete(run),
    has: (taskId: string): boolean => [...runs].some((run) => run.taskId === taskId),
    /** Whether a task of this thread runs here. */
    hasThread: (threadId: string): boolean => [...runs].some((run) => run.threadId === threadId),
    stop: (taskId: string, reason: StopReason) => {
      for (const run of runs) if (run.taskId === taskId) run.stop(reason)
    },
    stopNow,
    /** Stops every run, and every later one: a claim that is still under way must not outlive the shutdown. */
    stopAll: (reason: StopReason) => {
      stopped = reason
      stopNow(reason)
    },
    /** Throws Problem `unavailable` after `stopAll`, so that the queue keeps the message. */
    refuseIfStopped: () => {
      if (stopped !== undefined)
        throw new Problem('unavailable', 'worker_stopped', 'The worker takes no more work')
    },
    beat: () => {
      for (const run of runs) run.beat()
    },
    /** Finds tasks that other processes cancelled. */
    check: () => {
      for (const run of runs) run.check()
    },
  }
}

/** The stop of one run and its reason. The first reason stays. */
const createStop = () => {
  const controller = new AbortController()
  let reason: StopReason | undefined
  let isOver = false
  return {
    signal: controller.signal,
    stop: (why: StopReason) => {
      if (isOver || reason !== undefined) return
      reason = why
      controller.abort(new RunStopped(why))
    },
    reason: () => reason,
    /** The agent has ended: a later stop does not reach it. */
    end: () => {
      isOver = true
    },
  }
}

/** A task that is leased to this worker. */
export type Leased = TaskRow

/** What a run waits for that lives on meanwhile. */
type Waiting = { message: string; approvals: readonly { approvalId: string }[] }

/** The writes of a worker. Those with `leased` apply only while the task is leased under the same fencing token. */
export type LeaseWrites = {
  claim(message: RunTask, runner?: string, places?: HeldPlaces): Promise<Leased | undefined>
  renew(leased: Leased, message?: string): Promise<boolean>
  isLeased(leased: Leased): Promise<boolean>
  succeed(leased: Leased, result: TaskResult, continuation?: object): Promise<unknown>
  wait(message: RunTask, waiting: QueuedWait): Promise<unknown>
  retry(
    leased: Leased,
    error: TaskError,
    delayMs: number,
    next: LeftByAttempt & { isCounted: boolean; waiting: QueuedWait | undefined },
  ): Promise<unknown>
  fail(leased: Leased, error: TaskError, left?: LeftByAttempt): Promise<unknown>
  release(leased: Leased, reason: string, how?: { isUnbegun?: boolean }): Promise<unknown>
  keepCost(leased: Leased): Promise<void>
  suspend(leased: Leased, waiting: { checkpoint: object; message: string }): Promise<unknown>
  /** Both resolve to the row, and to undefined when the lease is lost. */
  pause(leased: Leased, waiting: Waiting): Promise<Leased | undefined>
  unpause(leased: Leased): Promise<Leased | undefined>
}

type Needs = {
  lease: Pick<LeaseWrites, 'renew' | 'isLeased'>
  active: ReturnType<typeof createActiveRuns>
  log: Log
}

export type LeasedRun = ActiveRun & {
  /** As it was last written. */
  task: Leased
  stopped: ReturnType<typeof createStop>
  /** What its agent has cost so far, as it says. */
  spent?: Cost
  /** The task with what it and its attempt have cost up to now, this run included. */
  costed(): Leased
  /** Renews the lease, with a progress event when there is a message; stops the run when the lease is lost. */
  beat(message?: string): void
  /** Resolves when no message is being written any more; undefined when none is. Never rejects. */
  progressWritten(): Promise<unknown> | undefined
}

/** Registers leased tasks as active runs, for cancel, heartbeat and shutdown. */
export const createLeasedRuns =
  ({ lease, active, log }: Needs) =>
  (task: Leased): LeasedRun => {
    const stopped = createStop()
    const busy = { beat: 0, check: 0 }
    const writes = new Set<Promise<void>>()
    const stopIfLost = async (by: keyof typeof busy, isLeased: () => Promise<boolean>) => {
      busy[by] += 1
      try {
        if (!(await isLeased())) stopped.stop('lost')
      } catch (thrown) {
        // The lease outlives several heartbeats, so one failure is no reason to stop.
        log.warn({ ...task.trace, taskId: task.id, reason: errorMessage(thrown) }, 'heartbeat failed')
      } finally {
        busy[by] -= 1
      }
    }
    // Only one renewal is in flight: repeats would slow down storage that is already slow.
    const beat = (message?: string) => {
      if (message === undefined && busy.beat > 0) return
      const renewed = stopIfLost('beat', () => lease.renew(run.costed(), message))
      if (message === undefined) return
      writes.add(renewed)
      void renewed.then(() => writes.delete(renewed))
    }
    const check = () => {
      if (busy.beat + busy.check === 0) void stopIfLost('check', () => lease.isLeased(task))
    }
    const run: LeasedRun = {
      taskId: task.id,
      threadId: toThreadId(task),
      task,
      stopped,
      stop: stopped.stop,
      beat,
      check,
      progressWritten: () => (writes.size > 0 ? Promise.all(writes) : undefined),
      costed: () => ({
        ...run.task,
        ...definedFields({
          cost: addCost(task.cost, run.spent),
          attemptCost: addCost(task.attemptCost, run.spent),
        }),
      }),
    }
    active.add(run)
    return run
  }
