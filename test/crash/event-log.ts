import { eventOf, nextStatus, type TaskStatus, type TaskVerb } from '../../lib/tasks/machine.ts'
import type { TaskEvent } from '../../lib/tasks/schema.ts'

const VERBS = Object.keys(eventOf) as TaskVerb[]

/** The state that an event leads to from another by the lifecycle's table; undefined where the table has no such way. */
const after = (status: TaskStatus, type: TaskEvent['type']): TaskStatus | undefined => {
  if (type === 'progress') return status === 'in_progress' ? status : undefined
  return VERBS.filter((verb) => eventOf[verb] === type)
    .map((verb) => nextStatus(status, verb))
    .find((next) => next !== undefined)
}

/** Replays a log from its `created`: the state it ends in, or a text that says where it leaves the table. */
export const replay = (events: readonly TaskEvent[]): { status: TaskStatus } | { broken: string } => {
  const [first, ...rest] = events
  if (first?.type !== 'created') return { broken: `begins with ${first?.type}` }
  let status: TaskStatus = 'pending'
  for (const { type } of rest) {
    const next = after(status, type)
    if (next === undefined) return { broken: `${type} from ${status}` }
    status = next
  }
  return { status }
}

/** How many events of a type a log has. */
export const count = (events: readonly TaskEvent[], type: TaskEvent['type']): number =>
  events.filter((event) => event.type === type).length
