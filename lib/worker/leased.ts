import { messageOf } from '../core/errors.ts'
import type { Log } from '../ports/log.ts'
import type { RunTask, TaskError, TaskResult, TaskRow } from '../tasks/schema.ts'
import { type ActiveRun, type ActiveRuns, createStop, type Stop } from './active.ts'

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
        log.warn({ taskId: task.id, reason: messageOf(thrown) }, 'heartbeat failed')
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
