import { nextStatus, type TaskStatus, type TaskVerb, verbEvents } from '../../lib/tasks/machine.ts'
import type { TaskEvent } from '../../lib/tasks/schema.ts'

const VERBS = Object.keys(verbEvents) as TaskVerb[]

/** The states that an event leads to from another by the lifecycle's table; none where the table has no such way. */
const after = (status: TaskStatus, type: TaskEvent['type']): TaskStatus[] => {
  if (type === 'progress') return status === 'in_progress' ? [status] : []
  return VERBS.filter((verb) => verbEvents[verb] === type).flatMap((verb) => nextStatus(status, verb) ?? [])
}

/**
 * Replays a log from its `created`: the state it ends in, or a text that says where it leaves the table. A retry whose
 * attempt is due late leaves the task pending, and is told from another by what comes next.
 */
export const replay = (events: readonly TaskEvent[]): { status: TaskStatus } | { broken: string } => {
  const [first, ...rest] = events
  if (first?.type !== 'created') return { broken: `begins with ${first?.type}` }
  let states: TaskStatus[] = ['pending']
  for (const { type } of rest) {
    const next = states.flatMap((status) => after(status, type))
    if (next.length === 0) return { broken: `${type} from ${states.join(' or ')}` }
    states = [...new Set(next)]
  }
  return { status: states[0] as TaskStatus }
}

/** How many events of a type a log has. */
export const count = (events: readonly TaskEvent[], type: TaskEvent['type']): number =>
  events.filter((event) => event.type === type).length
