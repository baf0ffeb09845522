import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createIds } from '../../lib/adapters/node/ids.ts'
import type { Store, Tally } from '../../lib/ports/store.ts'
import { createCorrections } from '../../lib/tasks/corrections.ts'
import { createReconcile } from '../../lib/tasks/reconcile.ts'
import { createCounterCheck } from '../../lib/tasks/reconcile-counters.ts'
import { driftOf } from '../../lib/tasks/reconcile-drift.ts'
import { beginWalk } from '../../lib/tasks/reconcile-walk.ts'
import { taskEvents } from '../../lib/tasks/rows.ts'
import { type Emulator, startDynamoDb } from '../../offline/emulators.ts'
import { openClient } from '../adapters/dynamodb/opened.ts'
import { createFakeLog } from '../fakes/log.ts'
import { ANN, BODY } from './reconcile-verbs.ts'
import { openWorld, type Service, type World } from './reconcile-world.ts'

const AT_ONCE = 4
const HOUR_MS = 3_600_000

let emulator: Emulator
let client: DynamoDBClient
let world: World
let service: Service
let counted = 0
beforeAll(async () => {
  emulator = await startDynamoDb()
  client = openClient(emulator.endpoint)
})
afterAll(async () => {
  client.destroy()
  await emulator.stop()
})
beforeEach(async () => {
  world = await openWorld(client)
  service = world.serve()
})

/**
 * A check that reads a few tasks with each call, and how many it has read one by one since the last time of asking. Of the
 * queued ones a page has so many at most.
 */
const openCheck = (rowsAtOnce = AT_ONCE, queuedAtMost = Number.MAX_SAFE_INTEGER) => {
  let read = 0
  const page: Store['page'] = async (of, query) => {
    const { index, is, order, limit } = query
    const most = is === 'queued' ? queuedAtMost : limit
    const found = await world.store.page(of, { ...query, limit: Math.min(limit, most) })
    if (index === 'newest' && order === 'desc') read += found.rows.length
    return found
  }
  const { clock } = world
  const store: Store = Object.assign(Object.create(world.store), { page })
  const reconcile = createReconcile({ store, queue: { durable: true }, ids: createIds({ clock }) })
  const correct = createCorrections({ store, clock, log: createFakeLog() })
  const check = createCounterCheck({ store, reconcile, correct, clock, rowsAtOnce })
  const tick = async (times = 1) => {
    for (let n = 0; n < times; n += 1) {
      world.clock.advance(60_000)
      await check()
    }
  }
  const reads = () => {
    const was = read
    read = 0
    return was
  }
  return { tick, reads }
}
const totals = async () => (await world.store.tallies('tasks')).all ?? {}
const daily = async () => Object.values(await world.store.tallies('tasks.daily'))
const add = (tally: string, member: string, by: Record<string, number>) => {
  const row = { taskId: 'x', id: String(counted++), type: 'progress', timestamp: '' } as const
  const tallies: Tally[] = [{ tally, member, add: by }]
  return world.store.commit({ insert: taskEvents, row }, tallies)
}
/** Tasks one after the other, by their identifiers. */
const create = async (times: number): Promise<string[]> => {
  const ids: string[] = []
  for (let n = 0; n < times; n += 1) ids.push((await service.create(ANN, BODY)).id)
  return ids
}
const completeOne = async (id: string) => {
  const claim = await service.runs.claim({ taskId: id, attempt: 1 })
  if (claim) await service.runs.succeed(claim.task, { success: true, output: '' })
}

describe('the check of the counters', () => {
  it('reads no task one by one after changes that left all right, but once in an hour', async () => {
    await create(5)
    const { tick, reads } = openCheck(100)
    await tick(3)
    expect(reads()).toBe(5)
    for (let n = 0; n < 3; n += 1) {
      await create(1)
      await tick(4)
    }
    expect(reads()).toBe(0)
    world.clock.advance(HOUR_MS)
    await tick(2)
    expect(reads()).toBe(8)
  })

  it('sees by the sums of the days what was counted for a day and not for all, and the reverse', async () => {
    await create(2)
    const { tick } = openCheck(100)
    await tick(3)
    await add('tasks.daily', '2040-01-01', { created: -1, completed: 1 })
    // Something else changes, as it does where somebody died.
    await create(1)
    await tick(4)
    expect(await daily()).toEqual([{ created: 3, completed: 0 }])
    await add('tasks', 'all', { total: 1, 'agent:test-agent': 1 })
    await tick(4)
    expect(await totals()).toMatchObject({ total: 3, 'agent:test-agent': 3, corrections: 2 })
  })

  it('reads so many tasks with each call, and goes on while others come and change', async () => {
    await create(10)
    await add('tasks', 'all', { 'agent:test-agent': 5, 'completed:test-agent': 2 })
    const { tick, reads } = openCheck()
    await tick(2)
    for (const step of [AT_ONCE, AT_ONCE, 2]) {
      expect(reads()).toBe(step)
      for (const id of await create(1)) await completeOne(id)
      if (step !== 2) await tick()
    }
    expect(await totals()).toMatchObject({ total: 13, 'agent:test-agent': 18 })
    // What it suspects, the next one confirms: 13 tasks in four steps.
    await tick(2 + 3)
    expect(await totals()).toMatchObject({ total: 13, 'agent:test-agent': 13, 'completed:test-agent': 3 })
  })

  it('counts all tasks when it is time to, where an open state has too many to tell the states alone', async () => {
    await create(6)
    await add('tasks', 'all', { 'status:in_progress': 2, 'priority:4': 7 })
    const { tick, reads } = openCheck(AT_ONCE, 2)
    // A walk that suspects and one that confirms, of two steps each.
    await tick(9)
    expect(await totals()).toMatchObject({ 'status:in_progress': 0, 'priority:4': 0, corrections: 1 })
    await tick(9)
    reads()
    await add('tasks', 'all', { 'status:in_progress': 2 })
    await tick(9)
    expect(reads()).toBe(0)
    world.clock.advance(HOUR_MS)
    await tick(9)
    expect(await totals()).toMatchObject({ 'status:in_progress': 0, corrections: 2 })
  })

  it('corrects the states of many before it counts them all', async () => {
    await create(6)
    await add('tasks', 'all', { 'status:in_progress': 2 })
    await openCheck().tick(3)
    expect(await totals()).toMatchObject({ 'status:in_progress': 0 })
  })

  it('sees at once that a state of more than a page by its total has few', async () => {
    await create(2)
    const { tick } = openCheck(100)
    await tick(3)
    await add('tasks', 'all', { 'status:queued': 5_000 })
    await tick(4)
    expect(await totals()).toMatchObject({ 'status:queued': 2 })
  })

  it('corrects nothing that somebody else has corrected while it was on its way', async () => {
    await create(6)
    await add('tasks', 'all', { 'agent:test-agent': 5 })
    const [one, other] = [openCheck(), openCheck(100)]
    // It has suspected, and begins the walk that is to confirm.
    await one.tick(2 + 1 + 1)
    await other.tick(4)
    expect(await totals()).toMatchObject({ 'agent:test-agent': 6, corrections: 1 })
    world.clock.advance(600_000)
    await one.tick(1)
    expect(await totals()).toMatchObject({ 'agent:test-agent': 6, corrections: 1 })
  })

  it('goes on where storage failed', async () => {
    await create(10)
    const { tick, reads } = openCheck()
    await tick(2)
    expect(reads()).toBe(AT_ONCE)
    const real = world.store.page
    world.store.page = () => Promise.reject(new Error('throttled'))
    await expect(tick()).rejects.toThrow('throttled')
    world.store.page = real
    await tick(2)
    expect(reads()).toBe(6)
  })
})

describe('a walk over the tasks', () => {
  it.each([
    ['completed', async (id: string) => completeOne(id)],
    ['claimed', async (id: string) => void (await service.runs.claim({ taskId: id, attempt: 1 }))],
    ['cancelled', async (id: string) => void (await service.cancel(ANN, id))],
    ['created', async () => void (await create(1))],
  ])('counts how things were when it began, where some were %s since', async (_, change) => {
    const [oldest = '', , , , , newest = ''] = await create(6)
    const walk = await beginWalk({ ...world, rowsAtOnce: AT_ONCE }, await totals())
    world.clock.advance(1_000)
    expect(await walk()).toBeUndefined()
    for (const id of [oldest, newest]) await change(id)
    const { kept = {}, counts = {}, rows } = (await walk()) ?? {}
    expect(driftOf(kept, counts, true)).toEqual({})
    expect(counts.all).toMatchObject({ total: 6 })
    expect(rows).toBe(6)
  })

  it('takes an import from the future for what it is', async () => {
    const at = (year: number) => `${year}-01-01T00:00:00.000Z`
    const given = { ...BODY, status: 'completed', updatedAt: at(2050), completedAt: at(2050) }
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const imported = ids.map((id, n) => ({ ...given, id, createdAt: at(n % 2 === 0 ? 2050 : 2030) }))
    await service.importAll(ANN, { tasks: imported } as never)
    const walk = await beginWalk({ ...world, rowsAtOnce: AT_ONCE }, await totals())
    await walk()
    const { kept = {}, counts = {} } = (await walk()) ?? {}
    expect(counts.all).toMatchObject({ 'status:completed': 6, durationCount: 6 })
    expect(driftOf(kept, counts, true)).toEqual({})
  })
})
