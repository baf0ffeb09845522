import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { collections } from '../../../lib/collections.ts'
import { iso } from '../../../lib/core/time.ts'
import { FilterTasksQuery } from '../../../lib/tasks/contract.ts'
import { createTaskFilter } from '../../../lib/tasks/list.ts'
import { tasks } from '../../../lib/tasks/rows.ts'
import type { TaskRow } from '../../../lib/tasks/schema.ts'
import { type Emulator, hasDynoxide, startDynoxide } from '../../../offline/emulators.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { createMemoryBlobs } from '../../fakes/memory-blobs.ts'
import { type Capacity, meterCapacity } from './capacity-meter.ts'
import { type Opened, openClient, openTables } from './opened.ts'

const SECOND = 1_000
const FIRST = 1_800_000_000_000
const ROWS = 1_000

/** One in a hundred has failed; each is a second younger than the one before. */
const taskRow = (n: number, more: Partial<TaskRow> = {}): TaskRow => ({
  id: `task_${String(n).padStart(5, '0')}`,
  title: 'Make the nightly import tell which rows it refused, and why, in its last line',
  prompt: 'Look at the import first. '.repeat(20),
  priority: n % 2 === 0 ? 3 : 1,
  status: n % 100 === 0 ? 'failed' : 'completed',
  source: 'api',
  labels: ['imports', `label-${n}`],
  repository: 'example/warehouse',
  agent: 'coding-agent',
  attempts: 1,
  maxAttempts: 3,
  createdAt: iso(FIRST + n * SECOND),
  updatedAt: iso(FIRST),
  createdBy: 'user_ann',
  fence: 1,
  ...more,
})
const since = (n: number) => iso(FIRST + n * SECOND)

if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: nothing counts capacity units')
const suite = hasDynoxide() ? describe : describe.skip
suite('a search', () => {
  let emulator: Emulator
  let client: DynamoDBClient
  let meter: () => Capacity
  let opened: Opened
  /** What is done before each request to DynamoDB. */
  let before: () => Promise<unknown> = async () => undefined

  beforeAll(async () => {
    emulator = await startDynoxide()
    client = openClient(emulator.endpoint)
    const blobs = createMemoryBlobs()
    opened = await openTables({ client, collections, clock: createClock(), blobs })
    const special = new Map([[7, { prompt: `${'p'.repeat(40_000)} needle` }]])
    for (let at = 0; at < ROWS; at += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          opened.store.commit({ insert: tasks, row: taskRow(at + n, special.get(at + n)) }),
        ),
      )
    meter = meterCapacity(client)
    client.middlewareStack.add((next) => async (args) => before().then(() => next(args)), {
      step: 'initialize',
    })
  })
  afterAll(async () => {
    client.destroy()
    await emulator.stop()
  })

  const search = (query: Record<string, string>, store = opened.store) =>
    createTaskFilter({ store, withWaits: async (rows) => [...rows] })(FilterTasksQuery.parse(query))

  // Of each row an index has about 0.4 kB and the table 0.9 kB; a unit reads 8 kB of either in a row, or two by key.
  it.each([
    ['a word that none has: the table, once', { q: 'nowhere' }, 0, 150],
    ['a word of a prompt that lies aside', { q: 'NEEDLE' }, 1, 150],
    ['a word within a status', { q: 'nowhere', status: 'failed' }, 0, 10],
    ['a word within some statuses', { q: 'first', status: 'failed,queued' }, 10, 20],
    ['a word within a time', { q: 'nowhere', createdAfter: since(980) }, 0, 15],
    ['what is new', { createdAfter: since(980) }, 20, 30],
    ['a status within a time', { status: 'failed', createdAfter: since(850) }, 1, 10],
    ['a word in the title, which an index has', { q: 'nightly', createdAfter: since(980) }, 20, 30],
    ['a word that few rows are left to have', { q: 'nowhere', labels: 'label-3' }, 0, 70],
    ['a label, once for page and total', { labels: 'imports', limit: '1' }, ROWS, 75],
    ['another order', { sortBy: 'title', limit: '1' }, ROWS, 75],
  ])('costs what it has to look at: %s', async (_, query, total, units) => {
    meter()
    expect((await search(query)).total).toBe(total)
    expect(meter().read).toBeLessThanOrEqual(units)
  })

  const refused = {
    kind: 'invalid',
    code: 'selection_too_broad',
    message: expect.stringMatching(/createdAfter, createdBefore or status/),
  }
  it('is refused when its time is over, and reads no more', async () => {
    const clock = createFakeClock()
    const store = opened.again({ clock, mostMs: 500 })
    meter()
    before = async () => clock.advance(200)
    await expect(search({ q: 'nowhere', createdAfter: since(0) }, store)).rejects.toMatchObject(refused)
    before = async () => undefined
    await new Promise((resolve) => setTimeout(resolve, 200))
    // One to each shard, which were on their way; ten for whole rows would follow.
    expect(meter().requests).toBeLessThanOrEqual(4)
  })
  it('is refused in time even while DynamoDB does not answer', async () => {
    const clock = createFakeClock()
    const store = opened.again({ clock, mostMs: 500 })
    const { promise: never, resolve: release } = Promise.withResolvers<void>()
    before = () => never
    const asked = search({ q: 'nowhere' }, store)
    clock.advance(500)
    await expect(asked).rejects.toMatchObject(refused)
    before = async () => undefined
    release()
  })
  it('leaves a list that needs no search all the time it takes', async () => {
    const clock = createFakeClock()
    before = async () => clock.advance(60_000)
    const store = opened.again({ clock, mostMs: 500 })
    const page = await store.page(tasks, { index: 'newest', order: 'desc', limit: 50, detail: true })
    before = async () => undefined
    expect(page.rows).toHaveLength(50)
  })
})
