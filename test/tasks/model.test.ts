import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { Collection } from '../../lib/core/collection.ts'
import type { Position, Store, Totals } from '../../lib/ports/store.ts'
import { deadLetters } from '../../lib/queue/rows.ts'
import { DLQ_STATUSES, type DlqItem } from '../../lib/queue/schema.ts'
import { TASK_STATUSES } from '../../lib/tasks/machine.ts'
import { type TaskRow, tasks } from '../../lib/tasks/rows.ts'
import { type RunTask, TASK_EVENT_TYPES } from '../../lib/tasks/schema.ts'
import { OPERATIONS, play } from './model.ts'

// 500 in CI; MODEL_SEQUENCES=10000 is the full size.
const numRuns = Number(process.env.MODEL_SEQUENCES ?? 500)
// On a slow machine, beside other suites, one takes more than 120 ms.
const TIME_LIMIT_MS = Math.max(60_000, numRuns * 360)

const sequences = fc.record({
  durable: fc.boolean(),
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

/** A task as it is stored, with the types of its events and its dead letters. */
type Life = { row: TaskRow; types: string[]; letters: DlqItem[] }

const allOf = async <R extends object>(store: Store, of: Collection<R>): Promise<R[]> => {
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

const livesOf = async ({ service }: Awaited<ReturnType<typeof play>>): Promise<Life[]> => {
  const letters = await allOf(service.store, deadLetters)
  const rows = await allOf(service.store, tasks)
  return Promise.all(
    rows.map(async (row) => ({
      row,
      types: await service.eventTypes(row.id),
      letters: letters.filter(({ taskId }) => taskId === row.id),
    })),
  )
}

const times = (type: string, { types }: Life) => types.filter((other) => other === type).length

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
  // Whatever waits in the queue has a message on its way; what is pending is the next tick's.
  if (row.status === 'queued') expect(sent).toContainEqual({ taskId: row.id, attempt: row.attempts + 1 })
}

const count = (names: readonly string[]) => {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
const namedAs = (names: RegExp, totals: Totals = {}) =>
  Object.fromEntries(Object.entries(totals).filter(([name, value]) => value !== 0 && names.test(name)))

const expectTotals = async (store: Store, lives: readonly Life[]) => {
  const { all } = await store.tallies('tasks')
  expect(namedAs(/^total$|^(status|priority|source|agent|completed|failed):/, all)).toEqual(
    count(
      lives.flatMap((life) => [
        'total',
        ...(['status', 'priority', 'source', 'agent'] as const).map((field) => `${field}:${life.row[field]}`),
        ...Array(times('completed', life)).fill(`completed:${life.row.agent}`),
        ...Array(times('failed', life)).fill(`failed:${life.row.agent}`),
      ]),
    ),
  )
  const dlq = (await store.tallies('dlq')).all
  expect(namedAs(/./, dlq)).toEqual(
    count(lives.flatMap(({ letters }) => letters).flatMap(({ status }) => [status, 'total'])),
  )
}

describe('any operations at once, in any order, with any delays', () => {
  const seen = new Set<string>()

  it(
    'store only transitions of the table, and totals that equal the rows',
    () =>
      fc.assert(
        fc.asyncProperty(sequences, async (sequence) => {
          const played = await play(sequence)
          const lives = await livesOf(played)

          expect(lives.flatMap(({ row }) => played.witness.faultsOf(row.id, row.status))).toEqual([])
          for (const life of lives) expectConsistent(life, played.sent)
          await expectTotals(played.service.store, lives)

          for (const { row, types, letters } of lives) {
            for (const word of [row.status, ...types, ...letters.map(({ status }) => `letter ${status}`)])
              seen.add(word)
          }
          await played.service.store.close()
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
