import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store, Tally } from '../ports/store.ts'
import { taskEvents } from './rows.ts'
import type { TaskEvent } from './schema.ts'

/** What takes a drift away: the totals `of` which, the number of this correction, and what the log says of it. */
export type Correction = {
  of: string
  number: number
  drift: object
  message: string
  tallies: readonly Tally[]
}

type Needs = { store: Store; clock: Pick<Clock, 'now'>; log: Log }

export type Correct = ReturnType<typeof createCorrections>

const LONGEST_MESSAGE = 2_000

/**
 * Corrects totals, once for each number there is: of two ticks at once, one does it; the time lets a dead one's be
 * repeated. The corrections have a log of their own, of no task: no task has an identifier with a `#`.
 */
export const createCorrections =
  ({ store, clock, log }: Needs) =>
  async ({ of, number, drift, message, tallies }: Correction): Promise<void> => {
    const now = iso(clock.now())
    const row: TaskEvent = {
      id: `evt_${now.slice(0, 15)}_${number}`,
      taskId: `#${of}`,
      type: 'progress',
      timestamp: now,
      message: message.slice(0, LONGEST_MESSAGE),
    }
    const { applied } = await store.commit<TaskEvent>({ insert: taskEvents, row }, tallies)
    if (applied) log.warn({ of, drift }, 'counters had drifted and were corrected')
  }
