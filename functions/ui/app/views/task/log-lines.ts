import type { TaskEvent } from '../../../../../lib/tasks/schema.ts'

/** A line of the log: an event with its place, counted from 1, and the time since the first. */
export type Line = Pick<TaskEvent, 'id' | 'type' | 'timestamp' | 'message'> & {
  readonly number: number
  readonly sinceMs: number
}

export const logLines = (events: readonly TaskEvent[]): Line[] => {
  const start = Date.parse(events[0]?.timestamp ?? '')
  return events.map((event, at) => ({
    ...event,
    number: at + 1,
    sinceMs: Date.parse(event.timestamp) - start,
  }))
}

/** The lines that have these words, in any case; they keep their numbers. */
export const withWords = (lines: readonly Line[], words: string): readonly Line[] => {
  const wanted = words.trim().toLowerCase()
  if (wanted === '') return lines
  return lines.filter(({ type, message = '' }) => `${type} ${message}`.toLowerCase().includes(wanted))
}

/** The log as a file. */
export const logText = (lines: readonly Line[]): string =>
  lines.map(({ timestamp, type, message = '' }) => `${timestamp} ${type} ${message}`.trimEnd()).join('\n')
