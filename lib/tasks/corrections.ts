import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store, Tally } from '../ports/store.ts'
import { taskEvents } from './rows.ts'
import type { TaskEvent } from './schema.ts'

/** What takes a drift away: the totals `of` which, the number of this correction, and what the log says of it. */
type Correction = {
  of: string
  number: number
  drift: object
  message: string
  tallies: readonly Tally[]
}

type Needs = { store: Store; clock: Pick<Clock, 'now'>; log: Log }

export type Correct = ReturnType<typeof createCorrections>

const LONGEST_MESSAGE = 2_000
/** Outlives any tick: one whose number is still the next by then died before the totals. */
const ALIVE_MS = 600_000

/**
 * Corrects totals, once for each number there is: of two ticks at once, one does it. Where it died before the totals its
 * number is still the next, and whoever finds its row old makes that its own; where storage only refused the totals, it goes
 * on itself. The corrections have a log of their own, of no task: no task has an identifier with a `#`.
 */
export const createCorrections = ({ store, clock, log }: Needs) => {
  /** When corrections were begun here of which it is not known that they were made, by the totals that they are of. */
  const begun = new Map<string, string[]>()

  return async ({ of, number, drift, message, tallies }: Correction): Promise<void> => {
    const now = clock.now()
    const before = begun.get(of) ?? []
    const row: TaskEvent = {
      id: `evt_${String(number).padStart(9, '0')}`,
      taskId: `#${of}`,
      type: 'progress',
      timestamp: iso(now),
      message: message.slice(0, LONGEST_MESSAGE),
    }

    /** Of those that find the same row old, one is the first to change its time. */
    const takeOver = async ({ timestamp }: TaskEvent): Promise<boolean> => {
      if (!before.includes(timestamp) && now - Date.parse(timestamp) < ALIVE_MS) return false
      const place = { update: taskEvents, key: [row.taskId, row.id], when: { timestamp } } as const
      const set = { timestamp: row.timestamp, message: row.message }
      return (await store.commit<TaskEvent>({ ...place, set }, tallies)).applied
    }

    begun.set(of, [...before, row.timestamp])
    const { applied, row: other } = await store.commit<TaskEvent>({ insert: taskEvents, row }, tallies)
    const isMade = applied || (other !== undefined && (await takeOver(other)))
    begun.delete(of)
    if (isMade) log.warn({ of, drift }, 'counters had drifted and were corrected')
  }
}
