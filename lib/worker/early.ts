import { Problem } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { RunTask } from '../tasks/schema.ts'

/** A message that goes back comes again after a second at the soonest; its sender needs a few milliseconds as a rule. */
const WAITS_MS = [20, 60, 150, 300]

/** Claims; where the message was faster than its task (Problem `task_not_queued_yet`), once more in a moment. */
export const claimInTime =
  <Claim>(claim: (message: RunTask) => Promise<Claim>, clock: Pick<Clock, 'after'>) =>
  async (message: RunTask): Promise<Claim> => {
    for (const waitMs of WAITS_MS) {
      try {
        return await claim(message)
      } catch (thrown) {
        if (!(thrown instanceof Problem) || thrown.code !== 'task_not_queued_yet') throw thrown
        await new Promise<void>((resolve) => void clock.after(waitMs, resolve))
      }
    }
    return claim(message)
  }
