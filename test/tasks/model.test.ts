import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { Collection } from '../../lib/core/collection.ts'
import { utcDay } from '../../lib/core/time.ts'
import type { Counters, Position, Store } from '../../lib/ports/store.ts'
import { deadLetters } from '../../lib/queue/rows.ts'
import { DLQ_STATUSES, type DlqItem } from '../../lib/queue/schema.ts'
import { TASK_STATUSES } from '../../lib/tasks/machine.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { type RunTask, TASK_EVENT_TYPES, type TaskEvent, type TaskRow } from '../../lib/tasks/schema.ts'
import { OPERATIONS, play } from './model.ts'

// 200 in CI; MODEL_SEQUENCES=10000 is the full size.
const numRuns = Number(process.env.MODEL_SEQUENCES ?? 200)
// On a slow machine, beside other suites, one takes more than 120 ms.
const TIME_LIMIT_MS = Math.max(60_000, numRuns * 360)

const sequences = fc.record({
  firstOutcome: fc.nat({ max: 3 }),
  operations: fc.array(
    fc.noBias(
      fc.record({
        do: fc.constantFrom(...OPERATIONS, ...(['claim', 'work', 'work', 'work'] as const)),
        pick: fc.nat({ max: 23 }),
        lag: fc.nat({ max: 3 }),
      }),
    ),
    { minLength: 10, maxLength: 80, size: 'max' },
  ),
})

/** A task as it is stored, with its events and its dead letters. */
type Life = { row: TaskRow; events: TaskEvent[]; letters: DlqItem[] }

const allRows = async <R extends object>(store: Store, of: Collection<R>): Promise<R[]> => {
  const rows: R[] = []
  let after: Position | undefined
  do {
    const page = await store.page(of, {
      index: 'newest',
      order: 'asc',
      limit: 200,
      ...(after ? { after } : {}),
    })
    rows.push(...page.rows)
    after = page.next
  } while (after)
  return rows
}

const readLives = async ({ service }: Awaited<ReturnType<typeof play>>): Promise<Life[]> => {
  const letters = await allRows(service.store, deadLetters)
  const rows = await allRows(service.store, tasks)
  return Promise.all(
    rows.map(async (row) => ({
      row,
      events: (await service.tasks.events(row.id)).events,
      letters: letters.filter(({ taskId }) => taskId === row.id),
    })),
  )
}

const endEvents = ({ events }: Pick<Life, 'events'>) =>
  events.filter(({ type }) => type === 'completed' || type === 'failed')
const times = (type: string, { events }: Life) => events.filter((event) => event.type === type).length

const expectConsistent = (life: Life, sent: readonly RunTask[]) => {
  const { row, letters } = life
  expect(times('completed', life)).toBe(row.status === 'completed' ? 1 : 0)
  expect(letters).toHaveLength(times('failed', life))
  expect(letters.filter(({ status }) => status === 'pending').length).toBeLessThanOrEqual(
    row.status === 'failed' ? 1 : 0,
  )
  expect(row.leaseExpiresAt !== undefined).toBe(row.status === 'in_progress')
  expect(row.attempts).toBeGreaterThanOrEqual(0)
  expect(row.attempts).toBeLessThanOrEqual(row.maxAttempts)
  // Whatever waits in the queue has been sent; what is pending is the next tick's.
  if (row.status === 'queued')
    expect(sent).toContainEqual(expect.objectContaining({ taskId: row.id, attempt: row.attempts + 1 }))
}

const count = (names: readonly string[]) => {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
const nonZero = (counters: Counters = {}) =>
  Object.fromEntries(Object.entries(counters).filter(([, value]) => value !== 0))

/** What the counters of tasks must be, counted from the rows and their logs. */
const recounted = (lives: readonly Life[]): Record<string, number> => {
  const completed = lives.flatMap(({ row }) => {
    if (row.status !== 'completed') return []
    const endMs = Date.parse(row.completedAt ?? '')
    return [{ agent: row.agent, endMs, durationMs: Math.max(0, endMs - Date.parse(row.startedAt ?? '')) }]
  })
  const durations = completed.map(({ durationMs }) => durationMs)
  const agentStatistics = [...Map.groupBy(completed, ({ agent }) => agent)].flatMap(([agent, ends]) => [
    [`durationMs:${agent}`, ends.reduce((sum, { durationMs }) => sum + durationMs, 0)],
  ])
  const lastEnds = [...Map.groupBy(lives, ({ row }) => row.agent)].flatMap(([agent, ofAgent]) => {
    const ends = ofAgent.flatMap(endEvents).map(({ timestamp }) => Date.parse(timestamp))
    return ends.length === 0 ? [] : [[`lastAt:${agent}`, Math.max(...ends)]]
  })
  return nonZero({
    ...count(
      lives.flatMap((life) => [
        'total',
        ...(['status', 'priority', 'source', 'agent'] as const).map((field) => `${field}:${life.row[field]}`),
        ...Array(times('completed', life)).fill(`completed:${life.row.agent}`),
        ...Array(times('failed', life)).fill(`failed:${life.row.agent}`),
      ]),
    ),
    durationCount: completed.length,
    durationMs: durations.reduce((sum, durationMs) => sum + durationMs, 0),
    ...(completed.length === 0
      ? {}
      : { leastDurationMs: Math.min(...durations), mostDurationMs: Math.max(...durations) }),
    ...Object.fromEntries([...agentStatistics, ...lastEnds]),
  })
}

/** The same by days: a task by its creation, each completion and failure by its event. */
const recountedDaily = (lives: readonly Life[]) =>
  Object.fromEntries(
    [
      ...Map.groupBy(
        lives.flatMap(({ row, events }) => [
          [utcDay(row.createdAt), 'created'] as const,
          ...endEvents({ events }).map(({ type, timestamp }) => [utcDay(timestamp), type] as const),
        ]),
        ([day]) => day,
      ),
    ].map(([day, names]) => [day, count(names.map(([, name]) => name))]),
  )

const LETTERS: Record<string, string> = {
  created: 'n',
  started: 's',
  completed: 'c',
  failed: 'f',
  cancelled: 'x',
}

/** The same by hours and agents: each creation, start and end in the five minutes that it happened in. */
const recountedHourly = (lives: readonly Life[]) => {
  const all = lives.flatMap(({ row: { agent }, events }) =>
    events
      .filter(({ type }) => type in LETTERS)
      .map(({ type, timestamp }) => {
        const part = '0123456789AB'[Math.floor(Number(timestamp.slice(14, 16)) / 5)]
        return [`${timestamp.slice(0, 13)} ${agent}`, `${part}${LETTERS[type]}`] as const
      }),
  )
  const members = Map.groupBy(all, ([member]) => member)
  return Object.fromEntries(
    [...members].map(([member, names]) => [member, count(names.map(([, name]) => name))]),
  )
}

/** Without the durations. */
const happeningsIn = (members: Readonly<Record<string, Counters>>) =>
  Object.fromEntries(
    Object.entries(members).map(([member, counters]) => [
      member,
      Object.fromEntries(Object.entries(counters).filter(([name]) => name.length === 2)),
    ]),
  )

const expectCounters = async (store: Store, lives: readonly Life[]) => {
  expect(nonZero((await store.counters('tasks')).all)).toEqual(recounted(lives))
  expect(await store.counters('tasks.daily')).toEqual(recountedDaily(lives))
  expect(happeningsIn(await store.counters('tasks.hourly'))).toEqual(recountedHourly(lives))
  const letters = lives.flatMap((life) => life.letters)
  expect(nonZero((await store.counters('dlq')).all)).toEqual(
    count(letters.flatMap(({ status }) => [status, 'total'])),
  )
}

describe('any operations at once, in any order, with any delays', () => {
  const seen = new Set<string>()

  it(
    'store only transitions of the table, and counters that equal a recount',
    () =>
      fc.assert(
        fc.asyncProperty(sequences, async (sequence) => {
          const played = await play(sequence)
          const lives = await readLives(played)

          expect(lives.flatMap(({ row }) => played.witness.pathFaults(row.id, row.status))).toEqual([])
          for (const life of lives) expectConsistent(life, played.sent)
          await expectCounters(played.service.store, lives)

          for (const { row, events, letters } of lives) {
            seen.add(row.status)
            for (const { type } of events) seen.add(type)
            for (const { status } of letters) seen.add(`letter ${status}`)
          }
          await played.service[Symbol.asyncDispose]()
        }),
        { numRuns },
      ),
    TIME_LIMIT_MS,
  )

  it('have been everywhere: in every state, every event, every end of a dead letter', () => {
    const letters = DLQ_STATUSES.map((status) => `letter ${status}`)
    expect(seen).toEqual(new Set<string>([...TASK_STATUSES, ...TASK_EVENT_TYPES, ...letters]))
  })
})
