import { beforeEach, describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Followers, Query, Store, Write } from '../../lib/ports/store.ts'
import { createLetterCheck } from '../../lib/queue/reconcile.ts'
import { deadLetters } from '../../lib/queue/rows.ts'
import type { DlqItem } from '../../lib/queue/schema.ts'
import { databaseForTests } from '../fakes/database.ts'
import { ANN, BODY } from '../tasks/reconcile-verbs.ts'
import { openWorld, type Service, type World } from '../tasks/reconcile-world.ts'

const HOUR_MS = 3_600_000
const AT_ONCE = 4

const database = databaseForTests()
let world: World
let service: Service
let added = 0
beforeEach(async () => {
  world = await openWorld(database().client)
  service = world.serve()
})

type Row = Record<string, unknown>
type Change = [head: Write<Row>, followers?: Followers<Row>, detail?: boolean]

/** Storage that takes what is done to dead letters and refuses the totals of that. */
const withoutTallies = (real: Store): Store => {
  const ofLetters = ([head]: Change) =>
    ('insert' in head ? head.insert : 'update' in head ? head.update : head.remove).name === deadLetters.name
  const commit = async (...change: Change) => {
    if (!ofLetters(change)) return real.commit(...change)
    const [head, followers = []] = change
    const { applied, row } = await real.commit(
      head,
      typeof followers === 'function' ? followers : followers.filter((one) => !('tally' in one)),
    )
    if (applied) throw new Problem('unavailable', 'storage_unavailable', 'not now')
    return { applied, row }
  }
  return { ...real, commit } as unknown as Store
}

const message = () => {
  added += 1
  return { messageId: `0000-${String(added).padStart(4, '0')}`, taskId: 'unknown', reason: 'not_json' }
}
/** Dead letters one after the other, by their identifiers, the newest first. */
const add = async (times: number, by = service): Promise<string[]> => {
  for (let n = 0; n < times; n += 1) {
    world.clock.advance(1_000)
    await by.letters.addMessage(message()).catch(() => undefined)
  }
  return (await listed()).map(({ id }) => id)
}
const listed = async () =>
  (await world.store.page<DlqItem>(deadLetters, { index: 'newest', order: 'desc', limit: 100 })).rows
const totals = async () => (await world.store.tallies('dlq')).all ?? {}
const check = async (times: number, by: () => Promise<void> = service.checkLetters) => {
  for (let n = 0; n < times; n += 1) {
    world.clock.advance(60_000)
    await by()
  }
}

/**
 * A check that reads a few dead letters with each call, and how many it has read one by one since it was asked. Of the
 * pending ones a page has so many at most.
 */
const openCheck = (rowsAtOnce = AT_ONCE, pendingAtMost = Number.MAX_SAFE_INTEGER) => {
  let read = 0
  const page: Store['page'] = async (of, query) => {
    const most = query.is === 'pending' ? pendingAtMost : query.limit
    const found = await world.store.page(of, { ...query, limit: Math.min(query.limit, most) })
    if ((query as Query<object>).index === 'newest') read += found.rows.length
    return found
  }
  const { correct } = service
  const store: Store = Object.assign(Object.create(world.store), { page })
  const call = createLetterCheck({ store, correct, clock: world.clock, rowsAtOnce })
  const reads = () => {
    const was = read
    read = 0
    return was
  }
  return { call, reads }
}

describe('the check of the totals of dead letters', () => {
  it('corrects what an insert lost, once two quiet looks have found the same, and says so', async () => {
    await add(1)
    await add(1, world.serve(withoutTallies))
    expect(await totals()).toEqual({ pending: 1, total: 1 })
    await check(2)
    expect(await totals()).toEqual({ pending: 1, total: 1 })
    await check(1)
    expect(await totals()).toEqual({ pending: 2, total: 2, corrections: 1 })
    expect(service.log.entries).toMatchObject([{ level: 'warn', fields: { of: 'dlq' } }])
    await check(5)
    expect(await totals()).toMatchObject({ corrections: 1 })
  })

  it.each(['resolved', 'discarded'] as const)('corrects what one that was %s lost', async (status) => {
    const [id = '', other = ''] = await add(2)
    await service.letters.discard(other)
    await world.store.commit({ update: deadLetters, key: id, set: { status } })
    await check(3)
    const all = { pending: 0, discarded: 1, total: 2, corrections: 1 }
    expect(await totals()).toEqual(
      status === 'discarded' ? { ...all, discarded: 2 } : { ...all, resolved: 1 },
    )
  })

  it('sees within the hour what does not show in the pending ones', async () => {
    const [id = ''] = await add(2)
    await check(3)
    const mute = world.serve(withoutTallies)
    await add(1, mute)
    await mute.letters.discard(id)
    await check(4)
    expect(await totals()).toEqual({ pending: 2, total: 2 })
    world.clock.advance(HOUR_MS)
    await check(3)
    expect(await totals()).toMatchObject({ pending: 2, discarded: 1, total: 3 })
  })

  it('sees at once that of more than a page by the total few are pending', async () => {
    const [id = ''] = await add(2)
    await check(3)
    await world.store.commit({ update: deadLetters, key: id, set: { title: 'x' } }, [
      { tally: 'dlq', member: 'all', add: { pending: 5_000 } },
    ])
    await check(3)
    expect(await totals()).toMatchObject({ pending: 2, total: 2 })
  })

  it('sees at once that more than a page are pending, of which the total has fewer', async () => {
    const { call } = openCheck(100, 1)
    await add(2)
    await check(3, call)
    await add(1, world.serve(withoutTallies))
    await check(3, call)
    expect(await totals()).toMatchObject({ pending: 3, total: 3 })
  })

  it('corrects nothing while things move', async () => {
    await add(1, world.serve(withoutTallies))
    for (let n = 0; n < 10; n += 1) {
      await check(1)
      await add(1)
    }
    expect(await totals()).toEqual({ pending: 10, total: 10 })
  })

  it('corrects once, when two see the same at once', async () => {
    await add(1, world.serve(withoutTallies))
    const other = world.serve()
    await check(2)
    await check(2, other.checkLetters)
    await Promise.all([service.checkLetters(), other.checkLetters()])
    expect(await totals()).toEqual({ pending: 1, total: 1, corrections: 1 })
  })

  it('reads so many with each call, and goes on while others come and are closed', async () => {
    const ids = await add(10)
    await add(1, world.serve(withoutTallies))
    const { call, reads } = openCheck()
    await check(2, call)
    for (const step of [AT_ONCE, AT_ONCE, 3]) {
      expect(reads()).toBe(step)
      await add(1)
      await service.letters.discard(ids.pop() ?? '')
      if (step !== 3) await check(1, call)
    }
    expect(await totals()).toMatchObject({ pending: 10, discarded: 3, total: 13 })
    // What it suspects, the next count confirms: 14 in four steps.
    await check(2 + 3, call)
    expect(await totals()).toMatchObject({ pending: 11, discarded: 3, total: 14, corrections: 1 })
  })

  it('counts none one by one after changes that left all right', async () => {
    const { call, reads } = openCheck(100)
    await add(3)
    await check(3, call)
    expect(reads()).toBe(3)
    const [id = ''] = await add(1)
    await service.letters.discard(id)
    await check(5, call)
    expect(reads()).toBe(0)
  })

  it('goes on where storage failed', async () => {
    await add(6)
    const { call, reads } = openCheck()
    await check(2, call)
    expect(reads()).toBe(AT_ONCE)
    const real = world.store.page
    world.store.page = () => Promise.reject(new Error('throttled'))
    await expect(check(1, call)).rejects.toThrow('throttled')
    world.store.page = real
    await check(1, call)
    expect(reads()).toBe(2)
  })
})

describe('a dead letter that was closed although storage refused its totals', () => {
  const broken = { code: 'broken', message: 'It broke' }
  const failedOnce = async () => {
    const { id } = await service.create(ANN, BODY)
    const claim = await service.runs.claim({ taskId: id, attempt: 1 })
    if (claim) await service.runs.exhaust(claim.task, broken)
    world.clock.advance(1_000)
    world.sent.splice(0)
    const [letter] = await listed()
    return { id, letterId: letter?.id ?? '' }
  }

  it('is discarded, and its totals are corrected', async () => {
    const [id = ''] = await add(1)
    const mute = world.serve(withoutTallies)
    expect(await mute.letters.discard(id)).toMatchObject({ id, status: 'discarded' })
    expect(mute.log.entries).toMatchObject([{ level: 'warn', fields: { deadLetterId: id } }])
    await check(3)
    expect(await totals()).toMatchObject({ pending: 0, discarded: 1, total: 1 })
  })

  it('is retried, and its task is queued', async () => {
    const { id, letterId } = await failedOnce()
    const { item, task } = await world.serve(withoutTallies).letters.retry(letterId)
    expect([item.status, task.status, task.attempts]).toEqual(['resolved', 'queued', 0])
    expect(world.sent).toEqual([{ taskId: id, attempt: 1 }])
  })

  it.each(['event', 'read'] as const)(
    'is retried without its %s too: the tick queues its task',
    async (what) => {
      const { id, letterId } = await failedOnce()
      let isClosed = false
      const refuse = () => Promise.reject(new Problem('unavailable', 'storage_unavailable', 'not now'))
      const cut = (real: Store): Store =>
        ({
          ...real,
          get: (...asked: Parameters<Store['get']>) =>
            what === 'read' && isClosed ? refuse() : real.get(...asked),
          commit: async (...change: Change) => {
            const outcome = isClosed && what === 'event' ? await refuse() : await real.commit(...change)
            isClosed = true
            return outcome
          },
        }) as unknown as Store
      const { item, task } = await world.serve(cut).letters.retry(letterId)
      expect(item).toMatchObject({ id: letterId, status: 'resolved' })
      expect(task).toMatchObject({ id, status: 'pending', attempts: 0 })
      expect(task).not.toHaveProperty('error')
      world.clock.advance(11_000)
      await service.recovery.tick(() => false)
      const { events } = await service.events(id)
      expect(events.map(({ type }) => type)).toEqual(['created', 'queued', 'started', 'failed', 'retried'])
      expect(world.sent).toEqual([{ taskId: id, attempt: 1 }])
    },
  )

  it('is not closed when somebody else closed it', async () => {
    const [id = ''] = await add(1)
    await service.letters.discard(id)
    world.clock.advance(1_000)
    const refuse = () => Promise.reject(new Problem('unavailable', 'storage_unavailable', 'not now'))
    const cut = world.serve((real) => ({ ...real, commit: refuse }) as unknown as Store)
    await expect(cut.letters.discard(id)).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
