import type { TaskEvent } from '../tasks/schema.ts'

/** An event may be stored after one that is later by so much. */
const LATE_MS = 60_000

/** The newest event that is known. */
export const newestIn = (known: readonly TaskEvent[]): string | undefined => known.at(-1)?.id

/** The event after which there may be events that are not known; undefined where that is the beginning. */
export const placeIn = (known: readonly TaskEvent[]): string | undefined => {
  const newest = Date.parse(known.at(-1)?.timestamp ?? '')
  return known.findLast(({ timestamp }) => Date.parse(timestamp) < newest - LATE_MS)?.id
}

/** What is known up to a place, and what comes after it. */
export const continued = (
  known: readonly TaskEvent[],
  after: string | undefined,
  events: readonly TaskEvent[],
): TaskEvent[] => [...known.slice(0, known.findIndex(({ id }) => id === after) + 1), ...events]
