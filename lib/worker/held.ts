import { messageOf } from '../core/errors.ts'
import type { Log } from '../ports/log.ts'
import { type ActiveRun, type ActiveRuns, createStop, type Stop } from './active.ts'
import type { Claimed, RunWrites } from './run-writes.ts'

type Needs = { runs: Pick<RunWrites, 'renew' | 'isHeld'>; active: ActiveRuns; log: Log }

/** A claimed task in the hands of this process. */
export type Held = ActiveRun & {
  task: Claimed
  stopped: Stop
  /** Renews the lease, with a progress event when there is something to tell; a task that is lost is stopped. */
  beat(message?: string): void
}

/** Takes a claimed task among the active runs, where cancel, heartbeat and shutdown find it. */
export const createHolding = ({ runs, active, log }: Needs) => {
  return (task: Claimed): Held => {
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
      if (message !== undefined || busy.beat === 0) void stopIfLost('beat', () => runs.renew(task, message))
    }
    const check = () => {
      if (busy.beat + busy.check === 0) void stopIfLost('check', () => runs.isHeld(task))
    }
    const held = { taskId: task.id, task, stopped, stop: stopped.stop, beat, check }
    active.add(held)
    return held
  }
}
