import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { collection } from '../../../lib/core/collection.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFolder, job, jobs, lines } from './samples.ts'

type Tagged = { id: string; state: string; at: string; tags: { name: string }[] }
const tagged = collection<Tagged>({ name: 'tagged', key: 'id', indexes: { newest: { by: 'at' } } })

const open = (file: string) =>
  openSqliteStore({ file, clock: createFakeClock(), collections: declared(jobs, lines, tagged) })
type Store = ReturnType<typeof open>

const inStore = (use: (store: Store, again: () => Store) => Promise<void>) =>
  inFolder(async (folder) => {
    const file = join(folder, 'store.db')
    const opened = [open(file)]
    const again = () => {
      opened.push(open(file))
      return opened.at(-1) as Store
    }
    try {
      await use(opened[0] as Store, again)
    } finally {
      for (const store of opened) await store.close()
    }
  })

const newest = { index: 'newest', order: 'desc', limit: 200 } as const
const add = (store: Store, n: number) => store.commit({ insert: jobs, row: job(n, { body: `of ${n}` }) })
const update = (key: string, set: object) => ({ update: jobs, key, set })

describe('a page of rows that were just written', () => {
  it('has what is committed, and not what is only decided', () =>
    inStore(async (store) => {
      await add(store, 1)
      const committed = store.commit(update('j1', { state: 'shut' }))
      expect((await store.page(jobs, newest)).rows).toEqual([job(1)])
      await committed
      expect((await store.page(jobs, newest)).rows).toEqual([job(1, { state: 'shut' })])
    }))

  it('has the last of several changes, and no field that was taken away', () =>
    inStore(async (store) => {
      await add(store, 1)
      for (const rank of [1, 2, 3]) {
        await store.commit(update('j1', { rank }))
        expect((await store.page(jobs, newest)).rows).toStrictEqual([job(1, { rank })])
      }
      await store.commit({ update: jobs, key: 'j1', unset: ['rank'] })
      expect((await store.page(jobs, newest)).rows).toStrictEqual([job(1)])
      await store.commit({ remove: jobs, key: 'j1' })
      expect((await store.page(jobs, newest)).rows).toEqual([])
    }))

  it('is the same as one that is read from the file, older and newer rows mixed', () =>
    inStore(async (store, again) => {
      for (let n = 0; n < 150; n += 1) await add(store, n)
      for (const n of [3, 20, 21, 90]) await store.commit(update(`j${n}`, { rank: n }))
      const read = again()
      for (const detail of [false, true])
        expect(await store.page(jobs, { ...newest, detail })).toStrictEqual(
          await read.page(jobs, { ...newest, detail }),
        )
    }))

  it('finds rows that lie with their owner under the owner of each', () =>
    inStore(async (store) => {
      for (const owner of ['one', 'two']) {
        await store.commit({ insert: lines, row: { owner, id: 'a', text: 'first' } })
        await store.commit({ update: lines, key: [owner, 'a'], set: { text: `of ${owner}` } })
      }
      const { rows } = await store.page(lines, { index: 'ofOwner', is: 'two', order: 'asc', limit: 9 })
      expect(rows).toEqual([{ owner: 'two', id: 'a', text: 'of two' }])
    }))
})

describe('a row that was read before', () => {
  it('cannot be changed for the next reader, nor can a value in it', () =>
    inStore(async (store) => {
      const row: Tagged = { id: 't1', state: 'open', at: '000001', tags: [{ name: 'a' }] }
      await store.commit({ insert: tagged, row })
      const read = async () => [(await store.page(tagged, newest)).rows[0], await store.get(tagged, 't1')]
      for (const row of await read()) {
        expect(() => Object.assign(row ?? {}, { state: 'shut' })).toThrow(TypeError)
        expect(() => row?.tags.push({ name: 'b' })).toThrow(TypeError)
        expect(() => Object.assign(row?.tags[0] ?? {}, { name: 'b' })).toThrow(TypeError)
      }
      expect(await read()).toEqual([row, row])
    }))
})

describe('counters that were read before', () => {
  it('follow every commit', () =>
    inStore(async (store) => {
      expect(await store.counters('jobs')).toEqual({})
      await add(store, 1)
      expect(await store.counters('jobs')).toEqual({ all: { count: 1 } })
      const committed = add(store, 2)
      expect(await store.counters('jobs')).toEqual({ all: { count: 1 } })
      await committed
      expect(await store.counters('jobs')).toEqual({ all: { count: 2 } })
    }))

  it('cannot be changed for the next reader, and are those from a member on when asked', () =>
    inStore(async (store) => {
      await add(store, 1)
      const { all } = await store.counters('jobs')
      expect(() => Object.assign(all ?? {}, { count: 9 })).toThrow(TypeError)
      expect(await store.counters('jobs', 'b')).toEqual({})
      expect(await store.counters('jobs', 'a')).toEqual({ all: { count: 1 } })
    }))
})
