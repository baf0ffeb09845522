import type { TaskEvent } from '../tasks/schema.ts'

/** How much later than its id an event may be stored. */
const LATE_MS = 60_000
/** A log that is followed is read from further back than its newest event this often, for events that were stored late. */
const READ_BACK_EVERY_MS = 15_000

/** Whether a log that was last read from further back at this time is to be read so again. */
export const isReadBackDue = (readBackAt: number, now: number): boolean =>
  now - readBackAt > READ_BACK_EVERY_MS

const ENDS: ReadonlySet<TaskEvent['type']> = new Set(['completed', 'failed', 'cancelled'])

export const isEnd = ({ type }: Pick<TaskEvent, 'type'>): boolean => ENDS.has(type)

/** A retry as a new task leaves this one ended; a redrive, of the same type, queues it again. */
const isRetryAsNew = ({ type, metadata }: TaskEvent): boolean =>
  type === 'retried' && metadata?.code === 'run_as_new'

/** The newest known event that changed the state of the task or told of its run. */
export const lastOfRun = (known: readonly TaskEvent[]): TaskEvent | undefined =>
  known.findLast((event) => !isRetryAsNew(event))

export const newestIn = (known: readonly TaskEvent[]): string | undefined => known.at(-1)?.id

/** The event after which unknown events may exist; undefined for the beginning. */
export const placeIn = (known: readonly TaskEvent[]): string | undefined => {
  const newest = Date.parse(known.at(-1)?.timestamp ?? '')
  return known.findLast(({ timestamp }) => Date.parse(timestamp) < newest - LATE_MS)?.id
}

export const continued = (
  known: readonly TaskEvent[],
  after: string | undefined,
  events: readonly TaskEvent[],
): TaskEvent[] => [...known.slice(0, known.findIndex(({ id }) => id === after) + 1), ...events]
