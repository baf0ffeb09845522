import { statusBesideQueue, type TaskStatus, type TaskVerb } from './machine.ts'
import type { TaskEvent } from './schema.ts'

/** What an event says beside what happened to which task, and when. */
export type EventText = Pick<TaskEvent, 'message' | 'agent' | 'attempt' | 'metadata'>

/**
 * How a task came to be: the id of its `created` event (the one after it is that of the first `queued`), the state it
 * was stored in, and for an imported one when that was.
 */
export type Birth = { id: string; as: TaskStatus; imported?: string }
/** The last move that an event follows from: the event's id, the way, and what of its text the row does not say. */
export type LastMove = { id: string; verb: TaskVerb; from: TaskStatus; text?: EventText }

/** `queued evt_…`, and the time of an import: rows are written again and again, and JSON of the same is twice as long. */
export const birthText = ({ as, id, imported }: Birth): string =>
  imported === undefined ? `${as} ${id}` : `${as} ${id} ${imported}`

export const birthIn = (remembered: string | undefined): Birth | undefined => {
  if (remembered === undefined) return undefined
  const [as, id = '', imported] = remembered.split(' ')
  return { as: as as TaskStatus, id, ...(imported === undefined ? {} : { imported }) }
}

/** `start queued evt_…`, and the text as JSON. */
export const moveText = ({ verb, from, id, text }: LastMove): string =>
  text === undefined ? `${verb} ${from} ${id}` : `${verb} ${from} ${id} ${JSON.stringify(text)}`

/** The move with the state that it led to. */
export const moveIn = (remembered: string | undefined): (LastMove & { to: TaskStatus }) | undefined => {
  if (remembered === undefined) return undefined
  const [verb, from, id = '', ...rest] = remembered.split(' ') as [TaskVerb, TaskStatus, ...string[]]
  const text = rest.length === 0 ? {} : { text: JSON.parse(rest.join(' ')) as EventText }
  const to = statusBesideQueue(from, verb)
  if (to === undefined) throw new Error(`the lifecycle has no ${verb} from ${from}`)
  return { verb, from, id, to, ...text }
}
