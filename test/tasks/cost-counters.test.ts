import { describe, expect, it } from '@jest/globals'
import type { Cost } from '../../lib/core/cost.ts'
import { readCosts, readSpent } from '../../lib/tasks/cost-counters.ts'
import { taskEvents, tasks } from '../../lib/tasks/rows.ts'
import type { TaskRow } from '../../lib/tasks/schema.ts'
import { withOpened } from '../contract/test-of.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { followedStoreOpeners } from '../fakes/stores.ts'

const price = (usd: number): Cost => ({ usd, source: 'price' })
const JANUARY = '2026-01-31T23:59:00.000Z'
const FEBRUARY = '2026-02-01T00:00:01.000Z'

const row: TaskRow = {
  id: 'task_1',
  title: 'Mend it',
  priority: 3,
  status: 'in_progress',
  source: 'api',
  labels: [],
  agent: 'codex',
  attempts: 1,
  maxAttempts: 3,
  createdAt: JANUARY,
  updatedAt: JANUARY,
  createdBy: 'user_ann',
  fence: 1,
}
const NONE = { usd: 0, unknown: 0, unknownByAgent: {} }

describe.each(followedStoreOpeners([tasks, taskEvents]))('the costs of tasks on %s', (_name, open) => {
  it(
    'are counted as they grow, in the month of each part, and never twice',
    withOpened(
      () => open(createFakeClock()),
      async ({ store, drained }) => {
        const set = (fields: Partial<TaskRow>) =>
          store.commit<TaskRow>({ update: tasks, key: row.id, set: fields })
        const spent = async (month: string, user?: string) => {
          await drained()
          return readSpent(store, month, user)
        }
        await store.commit<TaskRow>({ insert: tasks, row })
        await set({ leaseExpiresAt: Date.parse(JANUARY), cost: price(0.25), costRepository: 'acme/web' })
        await set({ leaseExpiresAt: Date.parse(JANUARY) + 1_000 })
        await set({ leaseExpiresAt: Date.parse(FEBRUARY), cost: price(0.75) })
        await set({ status: 'failed', completedAt: FEBRUARY, cost: { usd: 1, source: 'unknown' } })
        await set({ updatedAt: FEBRUARY, cost: { usd: 1, source: 'unknown' } })
        expect(await spent('2026-01')).toEqual({ ...NONE, usd: 0.25 })
        expect(await spent('2026-02')).toEqual({ usd: 0.75, unknown: 1, unknownByAgent: { codex: 1 } })
        expect(await spent('2026-02', 'user_ann')).toEqual({ ...NONE, usd: 0.75 })
        expect(await spent('2026-02', 'user_bob')).toEqual(NONE)
        expect((await store.counters('tasks')).all).toMatchObject({
          microUsd: 1_000_000,
          'microUsd:codex': 1_000_000,
          unknownCost: 1,
        })
        expect(await readCosts(store)).toEqual({
          costByUser: { user_ann: 1 },
          costByRepository: { 'acme/web': 1 },
        })
      },
    ),
  )
})
