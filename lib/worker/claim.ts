import type { RunTask } from '../tasks/schema.ts'
import type { Leased, LeaseWrites } from './active.ts'
import type { Gate } from './gate.ts'

type Needs = {
  lease: Pick<LeaseWrites, 'claim' | 'wait'>
  gate: Pick<Gate, 'beforeClaim'>
  /** Called when it is known whether the task of a message runs. */
  settled?: (message: RunTask) => void
}

/**
 * Leases the task of a message. Resolves to undefined when there is nothing to run now: the task waits from now on, was
 * cancelled or is claimed, or the message is a repeat. `runner` is the name of the one that runs it, absent for this
 * process. Throws Problem `missing` for a task that does not exist.
 */
export const createClaim = ({ lease, gate, settled }: Needs) => {
  const claim = async (message: RunTask, runner?: string): Promise<Leased | undefined> => {
    // A run that continues has started before.
    const waiting = message.resume ? undefined : await gate.beforeClaim(message)
    if (waiting === undefined) return lease.claim(message, runner)
    await lease.wait(message, waiting)
    return undefined
  }
  return (message: RunTask, runner?: string): Promise<Leased | undefined> =>
    claim(message, runner).finally(() => settled?.(message))
}
