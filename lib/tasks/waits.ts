import { definedFields } from '../core/defined-fields.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import { waitsSince } from './rows.ts'
import type { TaskRow, TaskWait } from './schema.ts'

/** Why no runner can take a task, in words; undefined when one can. */
export type WhyNoRunner = (task: Pick<TaskRow, 'agent' | 'runsOn'>) => string | undefined

type Needs = {
  whyNoRunner: () => Promise<WhyNoRunner>
  /** The positions of the tasks that are in the queue; undefined where that is not known. */
  positions: (taskIds: ReadonlySet<string>) => ReadonlyMap<string, number> | undefined
  /** The cap that holds a task back, in words; undefined where none does, or it is not known here. */
  capReached: (task: TaskRow) => string | undefined
  clock: Pick<Clock, 'now'>
}

export type WithWaits = ReturnType<typeof createWithWaits>

/**
 * Adds to tasks that have not started what they wait for: their time, a runner, or a slot. Nothing of it is stored. A
 * stored wait, as for a budget, is left as it is.
 */
export const createWithWaits =
  ({ whyNoRunner, positions, capReached, clock }: Needs) =>
  async <Row extends TaskRow>(rows: readonly Row[]): Promise<Row[]> => {
    const waiting = rows.filter(hasNotStarted)
    if (waiting.length === 0) return [...rows]
    const why = await whyNoRunner()
    const places = positions(new Set(waiting.map(({ id }) => id)))
    const now = iso(clock.now())
    const wait = (row: TaskRow): TaskWait | undefined => {
      const { nextAttemptAt: until } = row
      if (row.status === 'pending' || (until !== undefined && until > now))
        return toWait(row, 'schedule', { until })
      const message = why(row)
      if (message !== undefined) return toWait(row, 'runner', { message })
      const position = places?.get(row.id)
      // One that was taken from the queue starts in this moment.
      return places === undefined || position !== undefined
        ? toWait(row, 'slot', { position, message: capReached(row) })
        : undefined
    }
    return rows.map((row) => (hasNotStarted(row) ? { ...row, ...wait(row) } : row))
  }

const hasNotStarted = ({ status, waitingFor }: TaskRow): boolean =>
  (status === 'queued' || status === 'pending') && waitingFor === undefined

type More = { [Name in 'until' | 'position' | 'message']?: NonNullable<TaskRow['waiting']>[Name] | undefined }

const toWait = (row: TaskRow, reason: 'schedule' | 'slot' | 'runner', more: More): TaskWait => ({
  waitingFor: reason,
  waiting: { reason, since: waitsSince(row), ...definedFields(more) },
})
