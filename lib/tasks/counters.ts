import { bulkResultCounters } from '../bulk/schema.ts'
import { type Change, DEFAULT_MEMBER, type Increment, readCounter } from '../core/collection.ts'
import { runTimeMs } from '../core/run-time.ts'
import { utcDay } from '../core/time.ts'
import type { Counters, Store } from '../ports/store.ts'
import { hourlyIncrements } from './hourly-counters.ts'
import { isFinal, TASK_STATUSES, type TaskStatus } from './machine.ts'
import type { CountedTask } from './schema.ts'

/** The counters of all tasks have one member; the counters of days have a member for each day. */
export const TASK_COUNTERS = { counter: 'tasks', member: DEFAULT_MEMBER } as const
export const DAILY_COUNTERS = 'tasks.daily'

/** Agents that are not registered: an import may name any number of them, and each name takes space. */
export const OTHER_AGENTS = 'other'

type TaskChange = Pick<Change<CountedTask>, 'before' | 'after'>

/** The increments of a change of a task, and of the bulk job that queued it. */
export const taskIncrements = (change: TaskChange): Increment[] => {
  const { before } = change
  const counts = [...taskCounts(change), ...waitCounts(change)]
  if (before?.bulkJobId === undefined || isFinal(before.status)) return counts
  return [...counts, ...bulkResult(before.bulkJobId, change.after)]
}

/** The queued tasks that wait, by what they wait for: `waiting:hold:anthropic`. */
const waitCounter = (task: CountedTask | undefined): string | undefined =>
  task?.waiting === undefined || task.status !== 'queued'
    ? undefined
    : ['waiting', task.waiting.reason, ...(task.waiting.provider ? [task.waiting.provider] : [])].join(':')

const waitCounts = ({ before, after }: TaskChange): Increment[] => {
  const [ended, begun] = [waitCounter(before), waitCounter(after)]
  if (ended === begun) return []
  const add = { ...(ended && { [ended]: -1 }), ...(begun && { [begun]: 1 }) }
  return [{ ...TASK_COUNTERS, add }]
}

/** By the properties of a new task, a change of status, and the end of a run. */
const taskCounts = ({ before, after }: TaskChange): Increment[] => {
  if (after === undefined || before?.status === after.status) return []
  const ended = [...endedRun(after), ...hourlyIncrements(before, after)]
  return before === undefined
    ? [created(after), daily(after.createdAt, 'created'), ...ended]
    : [moved(before.status, after.status), ...ended]
}

/** The counters with one prefix, without it: `under(counters, 'status')` → `{queued: 3, …}`. */
export const under = (counters: Counters, prefix: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counters)
      .filter(([name]) => name.startsWith(`${prefix}:`))
      .map(([name, count]) => [name.slice(prefix.length + 1), count]),
  )

/** The number of tasks in each status; every status is present. */
export const byStatus = (counters: Counters): Record<string, number> => ({
  ...Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])),
  ...under(counters, 'status'),
})

export const createTaskCounters = (store: Store) => ({
  byStatus: async (): Promise<Record<string, number>> => byStatus(await readTaskCounters(store)),
  /** The queued tasks that wait, by what they wait for: `hold:anthropic`. */
  waiting: async (): Promise<Record<string, number>> => under(await readTaskCounters(store), 'waiting'),
  /** The runs of each agent: completions, final failures, milliseconds, and the latest end. */
  agentStatistics: async () => {
    const counters = await readTaskCounters(store)
    return (type: string) => ({
      completed: counters[`completed:${type}`] ?? 0,
      failed: counters[`failed:${type}`] ?? 0,
      durationMs: counters[`durationMs:${type}`] ?? 0,
      lastAt: counters[`lastAt:${type}`],
    })
  },
})

export const readTaskCounters = (store: Store): Promise<Counters> => readCounter(store, TASK_COUNTERS.counter)

/** The first end after a bulk job queued a task. A removed one, or another job's, counts as cancelled. */
const bulkResult = (jobId: string, after: CountedTask | undefined): Increment[] => {
  const isGone = after === undefined || after.bulkJobId !== jobId
  if (!isGone && !isFinal(after.status)) return []
  return [{ ...bulkResultCounters(jobId), add: { [isGone ? 'cancelled' : after.status]: 1 } }]
}

const created = ({
  status,
  priority,
  source,
  agent: own,
  countedAs: agent = own,
}: CountedTask): Increment => ({
  ...TASK_COUNTERS,
  add: {
    total: 1,
    [`status:${status}`]: 1,
    [`priority:${priority}`]: 1,
    [`source:${source}`]: 1,
    [`agent:${agent}`]: 1,
  },
})

const moved = (from: TaskStatus, to: TaskStatus): Increment => ({
  ...TASK_COUNTERS,
  add: { [`status:${from}`]: -1, [`status:${to}`]: 1 },
})

/** A completion or failure counts for its agent and its day, a completion also its duration. */
const endedRun = ({ status, agent: own, countedAs: agent = own, ...times }: CountedTask): Increment[] => {
  const { completedAt } = times
  if ((status !== 'completed' && status !== 'failed') || completedAt === undefined) return []
  const ofDay = daily(completedAt, status)
  const endMs = Date.parse(completedAt)
  const lastAt = { [`lastAt:${agent}`]: endMs }
  if (status === 'failed') return [{ ...TASK_COUNTERS, add: { [`failed:${agent}`]: 1 }, most: lastAt }, ofDay]
  const durationMs = runTimeMs(times, endMs)
  return [
    {
      ...TASK_COUNTERS,
      add: { [`completed:${agent}`]: 1, durationCount: 1, durationMs, [`durationMs:${agent}`]: durationMs },
      least: { leastDurationMs: durationMs },
      most: { mostDurationMs: durationMs, ...lastAt },
    },
    ofDay,
  ]
}

const daily = (at: string, what: 'created' | 'completed' | 'failed'): Increment => ({
  counter: DAILY_COUNTERS,
  member: utcDay(at),
  add: { [what]: 1 },
})
