import type { Tally } from '../ports/store.ts'
import { eventOf, isFinal, type TaskStatus, type TaskVerb } from './machine.ts'
import { type Birth, birthIn, type EventText, type LastMove, moveIn } from './remembered.ts'
import type { TaskRow } from './rows.ts'
import type { TaskEvent } from './schema.ts'
import { tallyOfEnded, tallyOfMove, tallyOfNew } from './tally.ts'

/** An event that must follow from a write, and the totals that whoever inserts it has to add. */
export type Owed = { event: TaskEvent; tallies: readonly Tally[] }

/**
 * What follows from the creation of a task, told by its row at any time after: its first events, and on the task that it
 * is a retry of the note of that, under the same id.
 */
export const owedByBirth = (row: TaskRow): Owed[] => {
  const born = birthIn(row.born)
  if (born === undefined) return []
  const created = birth(row, born)
  if (isFinal(born.as)) return [created]
  return [
    created,
    ...(row.queuedAt === undefined ? [] : [firstQueued(row, born)]),
    ...(row.retriedFrom === undefined || born.imported !== undefined
      ? []
      : [retried(row, row.retriedFrom, born)]),
  ]
}

const birth = (row: TaskRow, { id, as, imported }: Birth): Owed => {
  const stored = { ...row, status: as }
  return {
    event: {
      ...{ id, taskId: row.id, type: 'created', timestamp: imported ?? row.createdAt },
      message: imported === undefined ? `from ${row.source}` : 'imported',
    },
    tallies: [...tallyOfNew(stored), ...(isFinal(as) ? tallyOfEnded(stored) : [])],
  }
}

/** Of a task that was stored as queued already, the totals of its creation say so. */
const firstQueued = (row: TaskRow, { id, as }: Birth): Owed => ({
  event: { id: followingId(id), taskId: row.id, type: 'queued', timestamp: row.queuedAt ?? row.createdAt },
  tallies: as === 'queued' ? [] : [tallyOfMove('pending', 'queued')],
})

const retried = (row: TaskRow, taskId: string, { id }: Birth): Owed => ({
  event: {
    ...{ id, taskId, type: 'retried', timestamp: row.createdAt },
    message: `by ${row.createdBy}`,
  },
  tallies: [],
})

/** What follows from the last move, told by the row as the move left it, or as it is before the next move. */
export const owedByMove = (row: TaskRow): Owed[] => {
  const last = moveIn(row.last)
  if (last === undefined) return []
  const { id, verb, from, to } = last
  return [
    {
      event: { id, taskId: row.id, type: eventOf[verb], timestamp: timeOf(row, last), ...textOf(row, last) },
      tallies: [tallyOfMove(from, to), ...(isFinal(to) ? tallyOfEnded(row) : [])],
    },
  ]
}

const timeOf = (row: TaskRow, { verb, to }: Pick<LastMove, 'verb'> & { to: TaskStatus }): string => {
  const at = verb === 'start' ? row.startedAt : isFinal(to) ? row.completedAt : undefined
  return at ?? row.updatedAt
}

const textOf = (row: TaskRow, { verb, text }: LastMove): EventText => {
  if (!isToldByRow(verb)) return { ...text }
  return verb === 'start' ? startedText(row) : { agent: row.agent, attempt: row.attempts }
}

/** Whether the row has all that the event of such a move says. */
export const isToldByRow = (verb: TaskVerb): boolean => verb === 'start' || verb === 'succeed'

/** What the event of a claim says. A gateway's workflow shows in it, as it does in the task's metadata. */
export const startedText = ({ agent, attempts, metadata }: TaskRow): EventText => ({
  agent,
  attempt: attempts,
  ...(typeof metadata?.workflow === 'string' ? { metadata: { workflow: metadata.workflow } } : {}),
})

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The id that sorts next to an id: a ULID counted up by one. */
export const followingId = (id: string): string => {
  const at = DIGITS.indexOf(id.slice(-1)) + 1
  const rest = id.slice(0, -1)
  return at < DIGITS.length ? rest + DIGITS.charAt(at) : followingId(rest) + DIGITS.charAt(0)
}
