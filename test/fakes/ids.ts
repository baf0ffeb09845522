import { ulidTime } from '../../lib/core/ulid.ts'
import type { Ids } from '../../lib/ports/ids.ts'

/** ULIDs of the time of a clock (else of the first moment) that count from 1: `task_…0000000000000001`, then of any kind 3. */
export const createFakeIds = (clock: { now(): number } = { now: () => 0 }): Ids => {
  let last = -1
  let latest = 0
  return {
    next: (kind) => {
      latest = Math.max(latest, clock.now())
      last += 2
      return `${kind}_${ulidTime(latest)}${String(last).padStart(16, '0')}`
    },
  }
}
