import type { TaskEvent } from '../../../../../lib/tasks/schema.ts'

/** `number` counts from 1; `sinceMs` is the time since the first event. */
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

/** Case-insensitive; lines keep their numbers. */
export const withWords = (lines: readonly Line[], words: string): readonly Line[] => {
  const wanted = words.trim().toLowerCase()
  if (wanted === '') return lines
  return lines.filter(({ type, message = '' }) => `${type} ${message}`.toLowerCase().includes(wanted))
}

export const logText = (lines: readonly Line[]): string =>
  lines.map(({ timestamp, type, message = '' }) => `${timestamp} ${type} ${message}`.trimEnd()).join('\n')
