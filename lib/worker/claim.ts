import type { RunTask } from '../tasks/schema.ts'
import type { Leased, LeaseWrites } from './active.ts'
import type { Gate } from './gate.ts'
import type { SharedPlaces } from './shared-places.ts'

type Needs = {
  lease: Pick<LeaseWrites, 'claim' | 'wait'>
  gate: Pick<Gate, 'beforeClaim'>
  /** Takes places under the caps, where many processes run tasks. */
  places?: Pick<SharedPlaces, 'within'> | undefined
  /** Called when it is known whether the task of a message runs. */
  settled?: (message: RunTask) => void
}

/**
 * Leases the task of a message. Resolves to undefined when there is nothing to run now: the task waits from now on, was
 * cancelled or is claimed, or the message is a repeat. `runner` is the name of the one that runs it, absent for this
 * process. Throws Problem `missing` for a task that does not exist.
 */
export const createClaim = ({ lease, gate, places, settled }: Needs) => {
  const claim = async (message: RunTask, runner?: string): Promise<Leased | undefined> => {
    const { runsOn = [] } = message
    // A queue that does not know who fits hands it to any worker; the service has no labels.
    if (runner === undefined && runsOn.length > 0) {
      await lease.wait(message, { reason: 'runner', message: `waits for a runner with ${runsOn.join(', ')}` })
      return undefined
    }
    // A run that continues has started before.
    const waiting = message.resume ? undefined : await gate.beforeClaim(message)
    if (waiting === undefined) {
      if (places === undefined || message.resume) return lease.claim(message, runner)
      return places.within(message, (held) => lease.claim(message, runner, held))
    }
    await lease.wait(message, waiting)
    return undefined
  }
  return (message: RunTask, runner?: string): Promise<Leased | undefined> =>
    claim(message, runner).finally(() => settled?.(message))
}
