import { beforeEach, describe, expect, it } from '@jest/globals'
import type { Store, Tally } from '../../lib/ports/store.ts'
import { driftOf } from '../../lib/tasks/reconcile-drift.ts'
import { taskEvents } from '../../lib/tasks/rows.ts'
import { startDatabase } from '../fakes/database.ts'
import { forAllTests } from '../fakes/lifetimes.ts'
import { ANN, BODY } from './reconcile-verbs.ts'
import { openWorld, type Service, type World } from './reconcile-world.ts'

let world: World
let service: Service
let sent = 0
let counted = 0
const startCounted = async () => {
  const database = await startDatabase()
  database.client.middlewareStack.add(
    (next) => (args) => {
      sent += 1
      return next(args)
    },
    { step: 'initialize' },
  )
  return database
}
const database = forAllTests(startCounted, ({ stop }) => stop())
beforeEach(async () => {
  world = await openWorld(database().client)
  service = world.serve()
})

const totals = async () => (await world.store.tallies('tasks')).all ?? {}
/** Counts what no row tells of. */
const miscount = (add: Record<string, number>) => {
  const tally: Tally = { tally: 'tasks', member: 'all', add }
  const row = { taskId: 'x', id: String(counted++), type: 'progress', timestamp: '' } as const
  return world.store.commit({ insert: taskEvents, row }, [tally])
}
const check = async (times: number, by = service) => {
  for (let n = 0; n < times; n += 1) {
    world.clock.advance(1_000)
    await by.checkCounters()
  }
}
const create = () => service.create(ANN, BODY)

describe('the check of the counters', () => {
  it('corrects a difference that it has seen twice with nothing in between, and says so', async () => {
    await create()
    await miscount({ 'status:queued': 2, 'completed:test-agent': 1 })
    await check(2)
    expect(await totals()).toMatchObject({ 'status:queued': 3 })
    await check(1)
    expect(await totals()).toMatchObject({ 'status:queued': 1, 'completed:test-agent': 0, corrections: 1 })
    expect(service.log.entries).toHaveLength(1)
    await check(5)
    expect(await totals()).toMatchObject({ corrections: 1 })
  })

  it('leaves alone what changes from one look to the next', async () => {
    await create()
    await miscount({ 'status:queued': 2 })
    for (let n = 0; n < 10; n += 1) {
      await check(1)
      await miscount({ 'durationMs:test-agent': 1 })
    }
    expect(await totals()).toMatchObject({ 'status:queued': 3 })
  })

  it('corrects once, when two see the same at once', async () => {
    await create()
    await miscount({ 'status:queued': 2 })
    const other = world.serve()
    await check(2)
    await check(2, other)
    await Promise.all([service.checkCounters(), other.checkCounters()])
    expect(await totals()).toMatchObject({ 'status:queued': 1, corrections: 1 })
  })

  it('corrects again in time, when whoever did it died before the totals', async () => {
    await create()
    await miscount({ 'status:queued': 2 })
    const isCorrection = (row: object) => 'taskId' in row && row.taskId === '#counters'
    const forgetful = world.serve(
      (real) =>
        ({
          ...real,
          commit: (...[head, followers]: Parameters<Store['commit']>) =>
            real.commit(head, 'insert' in head && isCorrection(head.row) ? [] : followers),
        }) as Store,
    )
    await check(4, forgetful)
    await check(4)
    expect(await totals()).toMatchObject({ 'status:queued': 3 })
    world.clock.advance(600_000)
    await check(3)
    expect(await totals()).toMatchObject({ 'status:queued': 1, corrections: 1 })
  })

  it('of more tasks than it counts one by one corrects the states, whose sum is the total', async () => {
    await create()
    await miscount({ total: 20_000, 'status:completed': 19_998, 'status:in_progress': 2, 'priority:4': 7 })
    await check(4)
    expect(await totals()).toMatchObject({
      'status:queued': 1,
      'status:in_progress': 0,
      'status:completed': 20_000,
      'priority:4': 7,
    })
  })

  it('is one request while the totals change, and once they were found right', async () => {
    const costOf = async () => {
      sent = 0
      await check(1)
      return sent
    }
    expect(await costOf()).toBe(1)
    await check(2)
    expect(await costOf()).toBe(1)
    await create()
    expect(await costOf()).toBe(1)
  })

  it('sees that a task has left an open state, where nothing else changes', async () => {
    const { id } = await create()
    const claim = await service.runs.claim({ taskId: id, attempt: 1 })
    await check(3)
    const mute = world.serve(
      (real) => ({ ...real, commit: (head: Parameters<Store['commit']>[0]) => real.commit(head) }) as Store,
    )
    if (claim) await mute.runs.succeed(claim.task, { success: true, output: '' })
    expect(await totals()).toMatchObject({ 'status:in_progress': 1 })
    await check(4)
    expect(await totals()).toMatchObject({ 'status:in_progress': 0, 'status:completed': 1, durationCount: 1 })
  })
})

describe('the drift of totals', () => {
  it.each([
    ['nothing where they are the same', { all: { total: 1 } }, { all: { total: 1 } }, true, {}],
    ['what is missing', { all: { total: 1 } }, { all: { total: 3 } }, true, { all: { total: 2 } }],
    ['what is too much', { all: { total: 1, a: 2 } }, { all: { total: 1 } }, true, { all: { a: -2 } }],
    [
      'of a count of some nothing else',
      { all: { total: 1, a: 2 } },
      { all: { a: 1 } },
      false,
      { all: { a: -1 } },
    ],
    ['a day', {}, { '2026-01-01': { created: 1 } }, true, { '2026-01-01': { created: 1 } }],
    ['no failures: rows forget them', { all: { 'failed:a': 3 }, '2026-01-01': { failed: 3 } }, {}, true, {}],
    ['no extremes', { all: { mostDurationMs: 3, 'lastAt:a': 1, leastDurationMs: 1 } }, {}, true, {}],
  ])('is %s', (_, kept, counts, isWhole, drift) => {
    expect(driftOf(kept, counts, isWhole)).toEqual(drift)
  })
})
