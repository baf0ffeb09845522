import { beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { collections } from '../../../lib/collections.ts'
import { dayOf, iso } from '../../../lib/core/time.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { taskEvents, tasks as taskRows } from '../../../lib/tasks/rows.ts'
import type { CreateTask } from '../../../lib/tasks/schema.ts'
import type { Tasks } from '../../../lib/tasks/service.ts'
import { DAILY_TOTALS, TASK_TOTALS } from '../../../lib/tasks/tally.ts'
import { createTotals } from '../../../lib/tasks/totals.ts'
import { type Capacity, meterCapacity } from '../../../offline/capacity.ts'
import { hasDynoxide, startDynoxide } from '../../../offline/emulators.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { body, lifeOf, principal, tasksOn } from './life.ts'
import { type Opened, openTables } from './opened.ts'

const eventOf = (id: string) => ({ id, taskId: 'task', type: 'created', timestamp: iso(0) }) as const
/** Totals of a service with eight agents. */
const manyTotals = Object.fromEntries(
  Array.from({ length: 8 }, (_, at) => `agent-${at}`).flatMap((agent) =>
    ['agent', 'completed', 'failed', 'durationMs'].map((name) => [`${name}:${agent}`, 1_000_000]),
  ),
)
const DAY_MS = 86_400_000

if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: nothing counts capacity units')
const suite = hasDynoxide() ? describe : describe.skip
suite('the capacity units of DynamoDB', () => {
  const clock = createClock()
  const database = databaseForTests(startDynoxide)
  let meter: () => Capacity
  let opened: Opened
  let store: Store
  let tasks: Tasks

  beforeAll(async () => {
    const { client } = database()
    opened = await openTables({ client, collections, clock })
    store = opened.store
    tasks = tasksOn(store)
    meter = meterCapacity(client)
  })

  const make = (count: number) =>
    Promise.all(Array.from({ length: count }, () => tasks.create(principal, body())))
  const costOf = async (work: () => Promise<unknown>): Promise<Capacity> => {
    meter()
    await work()
    return meter()
  }
  /** The units that a create, a claim and a completion write. */
  const lived = async (more: Partial<CreateTask> = {}): Promise<number[]> => {
    const { created, claimed, completed } = await lifeOf(tasks, meter, more)
    expect(created.read + claimed.read + completed.read).toBe(0)
    return [created.write, claimed.write, completed.write]
  }

  it('are 20 for the writes of a small task, and no reads', async () => {
    // A task in the table and two indexes, a moved status twice in its index; with it its events and totals.
    expect(await lived()).toEqual([7, 6, 7])
  })
  it('are no more for one that was asked for with 0.5 kB, 0.3 of it a prompt', async () => {
    expect(JSON.stringify(body({ prompt: 'p'.repeat(300) })).length).toBeGreaterThan(500)
    expect(await lived({ prompt: 'p'.repeat(300) })).toEqual([7, 6, 7])
  })
  it('are 9 more with a prompt of 3 kB, which no index has', async () => {
    expect(await lived({ prompt: 'p'.repeat(3_000) })).toEqual([10, 9, 10])
  })
  it('are 15 for a create with an idempotency key', async () => {
    // The transaction doubles record and task; indexes, event and totals; then the move to queued with its own.
    expect((await costOf(() => tasks.createOnce(principal, body(), 'key'))).write).toBe(15)
  })
  it.each([20, 2_000])(
    'are at most 16 for the newest 50 of %i tasks',
    async (count) => {
      for (let made = 0; made < count; made += 100) await make(Math.min(100, count - made))
      const page = () => store.page(taskRows, { index: 'newest', order: 'desc', limit: 50 })
      const { read, requests } = await costOf(page)
      expect(read).toBeLessThanOrEqual(16)
      expect(requests).toBeLessThanOrEqual(8)
      const { rows } = await page()
      expect(rows.length).toBeGreaterThanOrEqual(Math.min(50, count))
      expect(rows.every(({ repository, agent, fence }) => repository && agent && fence !== undefined)).toBe(
        true,
      )
    },
    120_000,
  )
  it('are at most 8 for the state of the queue, and for the analytics of 30 days', async () => {
    const days = Array.from({ length: 30 }, (_, at) => dayOf(iso(clock.now() - at * DAY_MS)))
    // Four processes write, each to a shard of its own.
    for (const [at, day] of days.entries())
      for (const shard of [0, 1, 2, 3])
        await opened
          .again({ random: () => shard / 4 })
          .commit({ insert: taskEvents, row: eventOf(`${at}-${shard}`) }, [
            { tally: DAILY_TOTALS, member: day, add: { created: 9_999, completed: 9_999, failed: 9_999 } },
            { tally: TASK_TOTALS.group, member: TASK_TOTALS.member, add: manyTotals },
          ])
    expect((await costOf(() => createTotals(store).byStatus())).read).toBeLessThanOrEqual(8)
    expect((await costOf(() => tasks.analytics())).read).toBeLessThanOrEqual(8)
    expect((await tasks.analytics()).daily).toHaveLength(30)
  })
  it('are few for a count of what is new in a long list: it is found by its time', async () => {
    const from = iso(clock.now() + DAY_MS)
    const where = [{ field: 'createdAt' as const, from }]
    expect(await costOf(() => store.count(taskRows, { index: 'newest', where }))).toMatchObject({
      read: 2,
      requests: 4,
    })
  })
})
