import { dayOf } from '../core/time.ts'
import type { Tally, Totals } from '../ports/store.ts'
import type { TaskStatus } from './machine.ts'
import type { Task } from './schema.ts'

/** Running totals over all tasks live in one member, those of a day in the member of that day. */
export const TASK_TOTALS = { group: 'tasks', member: 'all' } as const
export const DAILY_TOTALS = 'tasks.daily'

type Counted = Pick<Task, 'status' | 'priority' | 'source' | 'agent' | 'createdAt'>

/** What a new task adds to the totals. */
export const tallyOfNew = (task: Counted): Tally[] => [
  all({
    total: 1,
    [`status:${task.status}`]: 1,
    [`priority:${task.priority}`]: 1,
    [`source:${task.source}`]: 1,
    [`agent:${task.agent}`]: 1,
  }),
  daily(task.createdAt, { created: 1 }),
]

/** What a change of state moves between the totals. */
export const tallyOfMove = (from: TaskStatus, to: TaskStatus): Tally => {
  const name = `${from}>${to}`
  const known = moves.get(name)
  if (known !== undefined) return known
  const made = all({ [`status:${from}`]: -1, [`status:${to}`]: 1 })
  moves.set(name, made)
  return made
}

const moves = new Map<string, Tally>()

/** What the end of a run adds: per agent and per day, and for a success its duration. */
export const tallyOfEnd = (
  agent: string,
  status: 'completed' | 'failed',
  at: string,
  durationMs: number,
): Tally[] => {
  const ended = { [`${status}:${agent}`]: 1 }
  if (status === 'failed') return [all(ended), daily(at, { failed: 1 })]
  const timed = { ...ended, durationCount: 1, durationMs, [`durationMs:${agent}`]: durationMs }
  return [
    {
      ...all(timed),
      least: { leastDurationMs: durationMs },
      most: { mostDurationMs: durationMs, [`lastAt:${agent}`]: Date.parse(at) },
    },
    daily(at, { completed: 1 }),
  ]
}

/** The totals under one prefix, by what follows it: `by(totals, 'status')` → `{queued: 3, …}`. */
export const by = (totals: Totals, prefix: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(totals)
      .filter(([name]) => name.startsWith(`${prefix}:`))
      .map(([name, count]) => [name.slice(prefix.length + 1), count]),
  )

const all = (add: Record<string, number>): Tally => ({
  tally: TASK_TOTALS.group,
  member: TASK_TOTALS.member,
  add,
})

const daily = (at: string, add: Record<string, number>): Tally => ({
  tally: DAILY_TOTALS,
  member: dayOf(at),
  add,
})
