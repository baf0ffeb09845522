import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { Page, Position, Store } from '../../lib/ports/store.ts'
import { deadLetters } from '../../lib/queue/dead-letters.ts'
import { type TaskRow, tasks } from '../../lib/tasks/rows.ts'
import { OPERATIONS, play } from './model.ts'

// 500 in CI; MODEL_SEQUENCES=10000 is the full size.
const numRuns = Number(process.env.MODEL_SEQUENCES ?? 500)
const TIME_LIMIT_MS = Math.max(60_000, numRuns * 60)

const everyRow = async <R extends object>(read: (after?: Position) => Promise<Page<R>>): Promise<R[]> => {
  const page = await read()
  const rows = [...page.rows]
  for (let { next } = page; next; ) {
    const more = await read(next)
    rows.push(...more.rows)
    next = more.next
  }
  return rows
}
const rowsOf = <R extends object>(store: Store, of: typeof tasks | typeof deadLetters) =>
  everyRow<R>((after) =>
    store.page(of as never, { index: 'newest', order: 'asc', limit: 200, ...(after ? { after } : {}) }),
  )

const count = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
const withoutZeros = (totals: Record<string, number>) =>
  Object.fromEntries(Object.entries(totals).filter(([, value]) => value !== 0))

const sequences = fc.record({
  durable: fc.boolean(),
  operations: fc.array(
    fc.record({
      do: fc.constantFrom('create' as const, ...OPERATIONS, 'claim' as const, 'work' as const),
      pick: fc.nat({ max: 12 }),
      lag: fc.nat({ max: 3 }),
    }),
    { minLength: 5, maxLength: 40 },
  ),
})

describe('any operations at once, in any order, with any delays', () => {
  it(
    'store only transitions of the table, and totals that equal the rows',
    async () => {
      await fc.assert(
        fc.asyncProperty(sequences, async (sequence) => {
          const { service, witness, sent } = await play(sequence)
          const rows = await rowsOf<TaskRow>(service.store, tasks)
          const letters = await rowsOf<{ taskId: string; status: string }>(service.store, deadLetters)

          expect(rows.flatMap(({ id, status }) => witness.faultsOf(id, status))).toEqual([])

          const { all = {} } = await service.store.tallies('tasks')
          const named = Object.entries(withoutZeros(all)).filter(([name]) =>
            /^(total|status|priority|source|agent)\b/.test(name),
          )
          expect(Object.fromEntries(named)).toEqual(
            count(
              rows.flatMap((row) => [
                'total',
                `status:${row.status}`,
                `priority:${row.priority}`,
                `source:${row.source}`,
                `agent:${row.agent}`,
              ]),
            ),
          )
          const { all: dlq = {} } = await service.store.tallies('dlq')
          expect(withoutZeros(dlq)).toEqual(count(letters.flatMap(({ status }) => [status, 'total'])))

          const ends: string[] = []
          for (const row of rows) {
            const types = await service.eventTypes(row.id)
            const completions = types.filter((type) => type === 'completed').length
            const failures = types.filter((type) => type === 'failed').length
            expect(completions).toBe(row.status === 'completed' ? 1 : 0)
            expect(letters.filter(({ taskId }) => taskId === row.id)).toHaveLength(failures)
            ends.push(
              ...Array(completions).fill(`completed:${row.agent}`),
              ...Array(failures).fill(`failed:${row.agent}`),
            )
            // A message is on its way for whatever waits, and a lease on whatever runs.
            if (row.status === 'queued')
              expect(sent).toContainEqual({ taskId: row.id, attempt: row.attempts + 1 })
            expect(row.leaseExpiresAt !== undefined).toBe(row.status === 'in_progress')
            expect(row.attempts).toBeGreaterThanOrEqual(0)
            expect(row.attempts).toBeLessThanOrEqual(row.maxAttempts)
          }
          const ended = Object.entries(withoutZeros(all)).filter(([name]) =>
            /^(completed|failed):/.test(name),
          )
          expect(Object.fromEntries(ended)).toEqual(count(ends))

          const openLetters = letters.filter(({ status }) => status === 'pending')
          const failedIds = new Set(rows.filter(({ status }) => status === 'failed').map(({ id }) => id))
          expect(openLetters.filter(({ taskId }) => !failedIds.has(taskId))).toEqual([])
          await service.store.close()
        }),
        { numRuns },
      )
    },
    TIME_LIMIT_MS,
  )
})
