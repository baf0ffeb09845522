import type { Increment } from '../core/collection.ts'
import { bucketIndex } from '../core/histogram.ts'
import { runTimeMs } from '../core/run-time.ts'
import type { Counters, Store } from '../ports/store.ts'
import type { TaskStatus } from './machine.ts'
import type { CountedTask } from './schema.ts'

/** One member for each agent and hour in which its tasks changed: `2026-01-31T23 coding-agent`, the hour in UTC. */
const HOURLY_COUNTERS = 'tasks.hourly'
/** The longest window is seven days of any time zone, the first of them up to 25 hours long. */
const KEPT_MS = 9 * 86_400_000
/** An hour has twelve slots for what happened, and four quarters for durations. */
export const SLOT_MS = 300_000
export const QUARTER_MS = 900_000

export const HAPPENINGS = ['created', 'started', 'completed', 'failed', 'cancelled'] as const
export type Happening = (typeof HAPPENINGS)[number]
type Phase = 'wait' | 'run'

const HAPPENS: Partial<Record<TaskStatus, Happening>> = {
  in_progress: 'started',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

/** The increments of a change in its hour: what happened, the wait for a first start, and the run of a completion. */
export const hourlyIncrements = (before: CountedTask | undefined, after: CountedTask): Increment[] => {
  const { status, createdAt, startedAt, completedAt, queuedAt, updatedAt } = after
  const increments = before === undefined ? [hourly(createdAt, after, 'created')] : []
  const happening = HAPPENS[status]
  const at = before === undefined ? completedAt : (completedAt ?? updatedAt)
  if (happening === undefined || at === undefined) return increments
  increments.push(hourly(at, after, happening))
  if (before && !before.startedAt && startedAt && queuedAt)
    increments.push(lasted(at, after, 'wait', Date.parse(startedAt) - Date.parse(queuedAt)))
  if (status === 'completed' && startedAt)
    increments.push(lasted(at, after, 'run', runTimeMs(after, Date.parse(at))))
  return increments
}

const increment = (
  at: string,
  { agent: own, countedAs: agent = own }: CountedTask,
  name: string,
): Increment => {
  const hour = at.slice(0, HOUR_LENGTH)
  const expiresAt = hourMs(hour) + KEPT_MS
  return { counter: HOURLY_COUNTERS, member: `${hour} ${agent}`, add: { [name]: 1 }, expiresAt }
}

const HOUR_LENGTH = '2026-01-31T23'.length
const hourMs = (text: string): number => Date.parse(`${text}:00:00.000Z`)

/**
 * A counter's name is the part of its hour, a letter, and the bucket of a duration: `Bs` counts starts from minute 55
 * on, `3r42` runs from minute 45 on. Short names make writes cheaper.
 */
const LETTERS: Readonly<Record<Happening | Phase, string>> = {
  created: 'n',
  started: 's',
  completed: 'c',
  failed: 'f',
  cancelled: 'x',
  wait: 'w',
  run: 'r',
}
const NAMES = new Map(Object.entries(LETTERS).map(([name, letter]) => [letter, name as Happening | Phase]))

/** The part of its hour that contains a time. */
const hourPart = (at: string, partMs: number): string =>
  Math.floor((Number(at.slice(14, 16)) * 60_000) / partMs)
    .toString(36)
    .toUpperCase()

const hourly = (at: string, task: CountedTask, what: Happening): Increment =>
  increment(at, task, hourPart(at, SLOT_MS) + LETTERS[what])

const lasted = (at: string, task: CountedTask, what: Phase, ms: number): Increment =>
  increment(at, task, hourPart(at, QUARTER_MS) + LETTERS[what] + bucketIndex(ms))

/** How often something happened in the slot that begins at `at`, or had a duration in the quarter that does. */
export type HourlyCount = { agent: string; at: number; count: number } & (
  | { what: Happening }
  | { what: Phase; bucket: number }
)

/** The counts of all hours from the hour of `from` on. */
export const readHourly = async (store: Store, from: string): Promise<HourlyCount[]> => {
  const members = await store.counters(HOURLY_COUNTERS, from.slice(0, HOUR_LENGTH))
  return Object.entries(members).flatMap(([member, counters]) => countsIn(member, counters))
}

const countsIn = (member: string, counters: Counters): HourlyCount[] => {
  const agent = member.slice(HOUR_LENGTH + 1)
  const startMs = hourMs(member.slice(0, HOUR_LENGTH))
  return Object.entries(counters).flatMap(([name, count]): HourlyCount[] => {
    const what = NAMES.get(name[1] ?? '')
    const part = Number.parseInt(name[0] ?? '', 36)
    if (what === undefined) return []
    if (what !== 'wait' && what !== 'run') return [{ agent, at: startMs + part * SLOT_MS, count, what }]
    return [{ agent, at: startMs + part * QUARTER_MS, count, what, bucket: Number(name.slice(2)) }]
  })
}
