import { beforeAll, describe, expect, it } from '@jest/globals'
import {
  type ChangeConsumer,
  createChangeConsumer,
} from '../../../lib/adapters/aws/dynamodb/change-consumer.ts'
import type { StreamRecord } from '../../../lib/adapters/aws/dynamodb/stream.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { collections } from '../../../lib/collections.ts'
import { iso } from '../../../lib/core/time.ts'
import type { Trace } from '../../../lib/core/trace.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { createTaskCounters } from '../../../lib/tasks/counters.ts'
import { tasks as taskRows } from '../../../lib/tasks/rows.ts'
import type { CreateTask, TaskRow } from '../../../lib/tasks/schema.ts'
import type { Tasks } from '../../../lib/tasks/service.ts'
import { hasDynoxide, startDynoxide } from '../../../offline/emulators.ts'
import { createStreams, streamArns } from '../../../offline/streams.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { type Capacity, meterCapacity } from './capacity-meter.ts'
import { body, principal, taskLifeCosts, tasksOn } from './life.ts'
import { type Opened, openTables } from './opened.ts'

const DAY_MS = 86_400_000
const TRACE: Trace = { requestId: 'req_01M850ZJX4CVTE4PFFP89JGG81' }
/** A finished task of one of eight agents. */
const taskRow = (n: number, createdAt: string): TaskRow => ({
  id: `task_day_${n}`,
  title: 't',
  priority: 3,
  status: 'completed',
  source: 'api',
  labels: [],
  agent: `agent-${n % 8}`,
  attempts: 1,
  maxAttempts: 3,
  createdAt,
  updatedAt: createdAt,
  startedAt: createdAt,
  completedAt: createdAt,
  createdBy: 'user_ann',
  fence: 1,
})

if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: nothing counts capacity units')
const suite = hasDynoxide() ? describe : describe.skip
suite('the capacity units of DynamoDB', () => {
  const clock = createClock()
  const database = databaseForTests(startDynoxide)
  let meter: () => Capacity
  let opened: Opened
  let store: Store
  let tasks: Tasks
  let consumer: ChangeConsumer
  let lastCounted: string | undefined

  beforeAll(async () => {
    const { client } = database()
    opened = await openTables({ client, collections, clock })
    store = opened.store
    tasks = tasksOn(store)
    meter = meterCapacity(client)
    consumer = createChangeConsumer({
      client,
      collections,
      clock,
      tableName: opened.tableName,
      log: createFakeLog(),
      deliver: async () => undefined,
    })
  })

  const make = (count: number) =>
    Promise.all(Array.from({ length: count }, () => tasks.create(principal, body())))
  const consumedCapacity = async (work: () => Promise<unknown>): Promise<Capacity> => {
    meter()
    await work()
    return meter()
  }
  /** What the counters take of the changes so far, each change in a batch of its own or all in one. */
  const counting = async (isBurst: boolean): Promise<Capacity> => {
    const [arn = ''] = await streamArns(database().client, opened.definitions)
    const { shards, start, read } = createStreams(database().endpoint)
    const [shard] = await shards(arn)
    const shardId = shard?.ShardId ?? ''
    const all: StreamRecord[] = []
    let from: string | undefined = await start(arn, shardId, lastCounted)
    for (let before = -1; from !== undefined && all.length > before; ) {
      before = all.length
      const page: Awaited<ReturnType<typeof read>> = await read(from, 1_000)
      all.push(...page.records.map((record) => ({ ...record, eventSourceARN: arn })))
      from = page.next
    }
    lastCounted = all.at(-1)?.dynamodb?.SequenceNumber ?? lastCounted
    return consumedCapacity(async () => {
      if (isBurst) return consumer({ Records: all, shardId })
      for (const record of all) await consumer({ Records: [record], shardId })
    })
  }
  /** The units that a create, a claim and a completion write. */
  const lived = async (more: Partial<CreateTask> = {}, trace?: Trace): Promise<number[]> => {
    const { created, claimed, completed } = await taskLifeCosts(tasks, meter, more, trace)
    return [created.write, claimed.write, completed.write]
  }

  it('are 11 for the writes of a small task, and 2 for reads', async () => {
    // A task in the table and two indexes, a moved status twice in its index; its events are in it.
    expect(await lived()).toEqual([3, 4, 4])
    // A claim and an end change fields that share one attribute (`fixed`), which is read first.
    const { created, claimed, completed } = await taskLifeCosts(tasks, meter)
    expect([created.read, claimed.read, completed.read]).toEqual([0, 1, 1])
  })
  it('are 12 for one that was asked for with 0.5 kB, 0.3 of it a prompt', async () => {
    expect(JSON.stringify(body({ prompt: 'p'.repeat(300) })).length).toBeGreaterThan(500)
    expect(await lived({ prompt: 'p'.repeat(300) })).toEqual([3, 4, 5])
  })
  it('are 14 for one of 0.6 kB, 0.4 of it a prompt, with the trace of its request', async () => {
    expect(JSON.stringify(body({ prompt: 'p'.repeat(400) })).length).toBeGreaterThan(600)
    expect(await lived({ prompt: 'p'.repeat(400) }, TRACE)).toEqual([4, 5, 5])
  })
  it('are 9 more with a prompt of 3 kB, which no index has', async () => {
    expect(await lived({ prompt: 'p'.repeat(3_000) })).toEqual([6, 7, 7])
  })
  it('are 6 for a create with an idempotency key', async () => {
    expect((await consumedCapacity(() => tasks.createOnce(principal, body(), 'key'))).write).toBe(6)
  })
  it('are 8 for the retry of a task, 2 of them since the indexes name the new task as well', async () => {
    const { id } = await tasks.create(principal, body())
    await tasks.cancel(principal, id)
    expect(await consumedCapacity(() => tasks.retry(principal, id))).toMatchObject({ read: 2, write: 8 })
  })
  it('are at most 8 for the counters of a lone task, and 3 for those of a batch of 30', async () => {
    await counting(true)
    await lived()
    expect(await counting(false)).toMatchObject({ read: 0, write: 8 })
    for (let n = 0; n < 30; n += 1) await lived()
    expect(await counting(true)).toMatchObject({ read: 0, write: 3 })
  })
  it.each([20, 2_000])('are at most 16 for the newest 50 of %i tasks', async (count) => {
    for (let made = 0; made < count; made += 100) await make(Math.min(100, count - made))
    const page = () => store.page(taskRows, { index: 'newest', order: 'desc', limit: 50 })
    const { read, requests } = await consumedCapacity(page)
    expect(read).toBeLessThanOrEqual(16)
    expect(requests).toBeLessThanOrEqual(8)
    const { rows } = await page()
    expect(rows.length).toBeGreaterThanOrEqual(Math.min(50, count))
    expect(rows.every(({ repository, agent, fence }) => repository && agent && fence !== undefined)).toBe(
      true,
    )
  })
  it('are at most 8 for the state of the queue, and for the analytics of 30 days and of a week', async () => {
    for (let day = 0; day < 30; day += 1)
      await store.commit({ insert: taskRows, row: taskRow(day, iso(clock.now() - day * DAY_MS)) })
    await counting(true)
    expect((await consumedCapacity(() => createTaskCounters(store).byStatus())).read).toBeLessThanOrEqual(8)
    expect((await consumedCapacity(() => tasks.analytics())).read).toBeLessThanOrEqual(8)
    const ofWeek = { window: '7d', timezone: 'Asia/Tokyo' } as const
    expect((await consumedCapacity(() => tasks.analytics(ofWeek))).read).toBeLessThanOrEqual(8)
    expect((await tasks.analytics(ofWeek)).recent?.run.count).toBeGreaterThan(5)
    expect((await tasks.analytics()).daily).toHaveLength(30)
  })
  it('are few for a count of what is new in a long list: it is found by its time', async () => {
    const from = iso(clock.now() + DAY_MS)
    const where = [{ field: 'createdAt' as const, from }]
    expect(await consumedCapacity(() => store.count(taskRows, { index: 'newest', where }))).toMatchObject({
      read: 2,
      requests: 4,
    })
  })
})
