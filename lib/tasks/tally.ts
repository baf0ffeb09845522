import { kept } from '../core/kept.ts'
import { dayOf, msOf } from '../core/time.ts'
import type { Tally, Totals } from '../ports/store.ts'
import type { TaskStatus } from './machine.ts'
import type { Task } from './schema.ts'

/** Running totals over all tasks live in one member, those of a day in the member of that day. */
export const TASK_TOTALS = { group: 'tasks', member: 'all' } as const
export const DAILY_TOTALS = 'tasks.daily'

type Counted = Pick<Task, 'status' | 'priority' | 'source' | 'agent' | 'createdAt'>
type Ended = Pick<Task, 'status' | 'agent' | 'startedAt' | 'completedAt'>

/** What a new task adds to the totals. */
export const tallyOfNew = (task: Counted): Tally[] => [ofNew(task), daily(task.createdAt, 'created')]

type ByStatus = Map<TaskStatus, Tally>
type ByPriority = Map<Task['priority'], ByStatus>
type BySource = Map<Task['source'], ByPriority>
// The same tally is the same object: storage has then only to count how often it was taken. Maps of maps, since one name
// put together of all keys would cost more than the rest.
const made = new Map<string, BySource>()
const moves = new Map<TaskStatus, ByStatus>()

const ofNew = ({ status, priority, source, agent }: Counted): Tally => {
  const bySource = kept(made, agent, (): BySource => new Map())
  const byPriority = kept(bySource, source, (): ByPriority => new Map())
  const byStatus = kept(byPriority, priority, (): ByStatus => new Map())
  return kept(byStatus, status, () =>
    all({
      total: 1,
      [`status:${status}`]: 1,
      [`priority:${priority}`]: 1,
      [`source:${source}`]: 1,
      [`agent:${agent}`]: 1,
    }),
  )
}

/** What a change of state moves between the totals. */
export const tallyOfMove = (from: TaskStatus, to: TaskStatus): Tally =>
  kept(
    kept(moves, from, (): ByStatus => new Map()),
    to,
    () => all({ [`status:${from}`]: -1, [`status:${to}`]: 1 }),
  )

/** What the ends of an agent's runs add, and what its own totals are called. */
const ofAgent = (agent: string) => ({
  completed: all({ [`completed:${agent}`]: 1, durationCount: 1 }),
  failed: all({ [`failed:${agent}`]: 1 }),
  durationMs: `durationMs:${agent}`,
  lastAt: `lastAt:${agent}`,
})
const agents = new Map<string, ReturnType<typeof ofAgent>>()

/** Per agent and per day, and for a success its duration. */
const tallyOfEnd = (
  agent: string,
  status: 'completed' | 'failed',
  at: string,
  atMs: number,
  durationMs: number,
): Tally[] => {
  const own = kept(agents, agent, ofAgent)
  if (status === 'failed') return [own.failed, daily(at, status)]
  const timed = {
    ...TOTALS,
    add: { durationMs, [own.durationMs]: durationMs },
    least: { leastDurationMs: durationMs },
    most: { mostDurationMs: durationMs, [own.lastAt]: atMs },
  }
  return [own.completed, timed, daily(at, status)]
}

/** What a task that has ended adds beside its change of state; nothing for one that was cancelled. */
export const tallyOfEnded = ({ status, agent, startedAt, completedAt }: Ended): Tally[] => {
  if ((status !== 'completed' && status !== 'failed') || completedAt === undefined) return []
  const endMs = msOf(completedAt)
  const durationMs = startedAt === undefined ? 0 : Math.max(0, endMs - msOf(startedAt))
  return tallyOfEnd(agent, status, completedAt, endMs, durationMs)
}

/** The totals under one prefix, by what follows it: `by(totals, 'status')` → `{queued: 3, …}`. */
export const by = (totals: Totals, prefix: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(totals)
      .filter(([name]) => name.startsWith(`${prefix}:`))
      .map(([name, count]) => [name.slice(prefix.length + 1), count]),
  )

const TOTALS = { tally: TASK_TOTALS.group, member: TASK_TOTALS.member }
const all = (add: Record<string, number>): Tally => ({ ...TOTALS, add })

type OfDay = 'created' | 'completed' | 'failed'
let day = ''
let ofDay: Partial<Record<OfDay, Tally>> = {}

/** Those of one day are kept: the next day comes, and the last one hardly again. */
const daily = (at: string, what: OfDay): Tally => {
  if (!at.startsWith(day) || day === '') {
    day = dayOf(at)
    ofDay = {}
  }
  ofDay[what] ??= { tally: DAILY_TOTALS, member: day, add: { [what]: 1 } }
  return ofDay[what]
}
