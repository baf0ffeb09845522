import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { openSqliteStore, type SqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { collection } from '../../../lib/core/collection.ts'
import type { Write } from '../../../lib/ports/store.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, type Job, job, jobs, openJobs, UNCOUNTABLE } from './samples.ts'

type Large = { id: string; text?: string }
const large = collection<Large>({ name: 'large', key: 'id', indexes: {} })
const sending = collection<Large>({
  name: 'sending',
  key: 'id',
  indexes: {},
  sends: ({ after }) => [{ to: 'notices', id: `${after?.id}`, body: { text: 'x'.repeat(1_500_000) } }],
})
const entries = collection<{ owner: string; id: string }>({
  name: 'entries',
  within: 'owner',
  key: 'id',
  indexes: { ofOwner: { within: 'owner', by: 'id' } },
})
const logged = collection<Large>({ name: 'logged', key: 'id', indexes: {}, log: entries })
const insertOf = (collection: unknown, row: Large) => ({ insert: collection, row }) as never

describe('a group commit', () => {
  it('shows nothing before the transaction has ended', async () => {
    const store = openJobs(':memory:')
    const promised = store.commit({ insert: jobs, row: job(1) })
    expect(await store.get(jobs, 'j1')).toBeUndefined()
    await promised
    expect(await store.get(jobs, 'j1')).toEqual(job(1))
    await store.close()
  })
  it('takes at most 128 commits in one turn of the event loop', async () => {
    const store = openJobs(':memory:')
    const all = Array.from({ length: 300 }, (_, n) => store.commit({ insert: jobs, row: job(n) }))
    const counts: number[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn()
      counts.push(await store.count(jobs, { index: 'newest' }))
    }
    expect(counts).toEqual([128, 256, 300])
    expect((await Promise.all(all)).every(({ applied }) => applied)).toBe(true)
    await store.close()
  })
  /** Each of four commits does as much as the writing of 1.5 million characters. */
  it.each<
    [what: string, before: (store: SqliteStore) => Promise<unknown>, large: (n: number) => Write<never>]
  >([
    ['rows', async () => undefined, (n) => insertOf(large, { id: `l${n}`, text: 'x'.repeat(1_500_000) })],
    ['messages', async () => undefined, (n) => insertOf(sending, { id: `l${n}` })],
    [
      'removed entries of logs',
      async (store) => {
        const log = Array.from({ length: 7_500 }, (_, n) => ({ id: `e${n}` }))
        for (let n = 0; n < 4; n += 1) await store.commit({ insert: logged, row: { id: `l${n}` }, log })
      },
      (n) => ({ remove: logged, key: `l${n}` }) as never,
    ],
  ])('takes at most as much as four million characters of %s in one turn', async (_, before, change) => {
    const collections = declared(large, sending, logged, entries)
    const store = openSqliteStore({ file: ':memory:', clock: createFakeClock(), collections })
    await before(store)
    let done = 0
    const all = Array.from({ length: 4 }, (_, n) =>
      store.commit(change(n)).then(() => {
        done += 1
      }),
    )
    const counts = new Set<number>()
    for (; done < 4; counts.add(done)) await nextTurn()
    expect([...counts].filter((count) => count > 0)).toEqual([3, 4])
    await Promise.all(all)
    await store.close()
  })
  it('refuses only the commits that cannot be written, and counts none of them', async () => {
    const store = openJobs(':memory:')
    const first = store.commit({ insert: jobs, row: job(1) })
    const odd = (more: Record<string, unknown>): Job => ({ ...job(2), ...more })
    const refused = Promise.allSettled([
      store.commit({ insert: jobs, row: odd({ rank: 1n }) }),
      store.commit({ insert: jobs, row: odd({ id: 2 }) }),
      store.commit({ insert: jobs, row: job(2) }, [{ insert: jobs, row: job(3, { rank: UNCOUNTABLE }) }]),
      store.commit({ insert: { ...jobs, name: 'strangers' }, row: job(5) }),
      store.commit({ update: jobs, key: 'j1', set: { state: odd({}) as unknown as string } }),
      store.commit({ update: jobs, key: 'j1', add: { state: 1 } }),
      store.commit({ update: jobs, key: 'j1', add: { rank: Number.POSITIVE_INFINITY } }),
      store.commit({ update: jobs, key: ['j1', 'j1'], set: { rank: 1 } }),
    ])
    const last = store.commit({ insert: jobs, row: job(4) })
    expect((await refused).filter(({ status }) => status !== 'rejected')).toEqual([])
    expect((await first).applied && (await last).applied).toBe(true)
    const { rows } = await store.page(jobs, { index: 'newest', order: 'asc', limit: 9 })
    expect(rows).toEqual([job(1), job(4)])
    expect(await store.counters('jobs')).toEqual({ all: { count: 2 } })
    await store.close()
  })
  it('lets the event loop turn between commits that throw', async () => {
    const store = openJobs(':memory:')
    const bad = Array.from({ length: 20 }, (_, n) =>
      store.commit({ insert: jobs, row: job(n, { rank: UNCOUNTABLE }) }),
    )
    let turns = 0
    let isOver = false
    const over = Promise.allSettled([...bad, store.commit({ insert: jobs, row: job(20) })]).then(() => {
      isOver = true
    })
    for (; !isOver; turns += 1) await nextTurn()
    await over
    expect(turns).toBeGreaterThanOrEqual(20)
    await store.close()
  })
  it('decides each commit on those before it, and repeats none that was rejected', async () => {
    const store = openJobs(':memory:')
    const add = (rank: number) => store.commit({ update: jobs, key: 'j1', add: { rank } })
    const outcomes = await Promise.allSettled([
      store.commit({ insert: jobs, row: job(1, { rank: 0 }) }),
      add(1),
      add(UNCOUNTABLE - 1),
      add(2),
      store.commit({ update: jobs, key: 'j1', when: { rank: 3 }, set: { state: 'shut' } }),
    ])
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value.applied : 'rejected'))).toEqual([
      true,
      true,
      'rejected',
      true,
      true,
    ])
    expect(await store.get(jobs, 'j1')).toEqual(job(1, { rank: 3, state: 'shut' }))
    await store.close()
  })
  it('refuses only the commit whose counter has no valid expiry', async () => {
    const counted: typeof jobs = {
      ...jobs,
      counts: ({ after }) => [
        { counter: 'jobs', member: 'all', add: { count: 1 }, expiresAt: Date.parse(String(after?.state)) },
      ],
    }
    const collections = declared(counted)
    const store = openSqliteStore({ file: ':memory:', clock: createFakeClock(), collections })
    const good = store.commit({ insert: counted, row: job(1, { state: '2031-01-01' }) })
    await expect(store.commit({ insert: counted, row: job(2) })).rejects.toThrow(TypeError)
    expect((await good).applied).toBe(true)
    expect(await store.counters('jobs')).toEqual({ all: { count: 1 } })
    await store.close()
  })
  it('delivers outside of the contexts of its callers', async () => {
    const context = new AsyncLocalStorage<string>()
    const contexts: unknown[] = []
    const sending: typeof jobs = {
      ...jobs,
      sends: ({ after }) => [{ to: 'notices', id: String(after?.id), body: {} }],
    }
    const store = openSqliteStore({
      file: ':memory:',
      clock: createFakeClock(),
      collections: declared(sending),
      deliver: async () => void contexts.push(context.getStore()),
    })
    store.start()
    const commit = (n: number) => store.commit({ insert: sending, row: job(n) })
    await context.run('the first', () => commit(1))
    await context.run('the second', () => commit(2))
    expect(contexts).toEqual([undefined, undefined])
    await store.close()
  })
  it('writes what waits when it is closed, and takes no more', async () => {
    const store = openJobs(':memory:')
    const waiting = Array.from({ length: 600 }, (_, n) => store.commit({ insert: jobs, row: job(n) }))
    const closed = store.close()
    const late = store.commit({ insert: jobs, row: job(600) })
    await expect(late).rejects.toMatchObject({ kind: 'unavailable', code: 'storage_closed' })
    await closed
    expect((await Promise.all(waiting)).every(({ applied }) => applied)).toBe(true)
    await store.close()
  })
})
