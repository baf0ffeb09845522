import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { planOf } from '../../../lib/adapters/sqlite/plan.ts'
import { updater } from '../../../lib/adapters/sqlite/records.ts'
import { createRowCache, type Version } from '../../../lib/adapters/sqlite/row-cache.ts'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { createBatchBuilder } from '../../../lib/adapters/sqlite/write-batch.ts'
import { collection } from '../../../lib/core/collection.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFolder, lines } from './samples.ts'

const NEW = { head: undefined, isDetached: false }
const records = { write: () => ({ headSize: 10, isDetached: false }) }
const row = (n: number): Version => ({
  at: [n],
  head: { n },
  detail: undefined,
  detailSize: 0,
  detailText: undefined,
})

const opened = (tables: number) => {
  const cache = createRowCache()
  const all = Array.from({ length: tables }, () => cache.rows())
  const write = (table: number, name: string, n = 0) => {
    const rows = all[table] ?? new Map()
    cache.put({ rows, name, records }, rows.get(name), row(n), NEW)
  }
  const commit = () => {
    cache.accept()
    cache.seal()
    cache.committed()
  }
  return { cache, write, commit, sizes: () => all.map(({ size }) => size), rows: all[0] ?? new Map() }
}

describe('the row cache', () => {
  it('has 64 rows at most, the newest, and the table that holds most makes room', () => {
    const { write, commit, sizes, rows } = opened(3)
    for (let n = 0; n < 5; n += 1) write(2, `few${n}`)
    for (let n = 0; n < 200; n += 1) write(0, `a${n}`)
    for (let n = 0; n < 100; n += 1) write(1, `b${n}`)
    commit()
    expect(sizes()).toEqual([29, 30, 5])
    expect([...rows.keys()].at(-1)).toBe('a199')
  })

  it('keeps rows while a batch that changes them is not committed, which is no reason to keep the others', () => {
    const { cache, write, commit, sizes } = opened(1)
    write(0, 'waits')
    cache.accept()
    cache.seal()
    for (let n = 0; n < 100; n += 1) write(0, `a${n}`)
    write(0, 'waits', 1)
    cache.accept()
    cache.seal()
    cache.committed()
    expect(sizes()).toEqual([101])
    cache.committed()
    commit()
    expect(sizes()).toEqual([64])
  })

  it('is what it was when a commit that wrote a row twice is refused', () => {
    const { cache, write, commit, rows } = opened(1)
    write(0, 'known')
    commit()
    const before = { ...rows.get('known') }
    write(0, 'known', 1)
    write(0, 'known', 2)
    write(0, 'new')
    cache.reject()
    expect(rows.get('known')).toEqual(before)
    expect(rows.has('new')).toBe(false)
    expect(cache.characters).toBe(0)
    commit()
    expect([...rows.keys()]).toEqual(['known'])
  })
})

describe('an update of a record', () => {
  const fields = Array.from({ length: 30 }, (_, n) => `f${n}`)
  const wide = (many: number) => {
    const indexes = Object.fromEntries(fields.slice(0, many).map((by) => [by, { by }]))
    const [of] = declared(
      collection({ name: 'wide', key: 'id', detail: ['body'], indexes: indexes as never }),
    )
    if (of === undefined) throw new Error('nothing was declared')
    return planOf(of)
  }
  const before = Object.fromEntries(fields.map((field) => [field, 0]))

  it.each([undefined, null, '{}'])(
    'names the columns that changed, the first and the last, with detail %s',
    (small) => {
      const batch = createBatchBuilder()
      const update = updater({ plan: wide(30), batch })
      update([7], before, { ...before, f0: 1, f29: 2 }, 'text', small)
      const { define, steps } = batch.seal()
      const names = small === undefined ? '"f0" = ?, "f29" = ?' : '_small = ?, "f0" = ?, "f29" = ?'
      expect(define).toEqual([`UPDATE "wide" SET _head = ?, ${names} WHERE _rid = ?`])
      const values = small === undefined ? ['text', 1, 2, 7] : ['text', small, 1, 2, 7]
      expect(steps).toEqual([0, values.length, ...values])
    },
  )

  it('is refused for a table of more columns than it can tell apart', () => {
    fields.push('f30')
    expect(() => updater({ plan: wide(31), batch: createBatchBuilder() })).toThrow('more than 30 columns')
  })
})

const openLines = (file: string) =>
  openSqliteStore({ file, clock: createFakeClock(), collections: declared(lines) })

describe('a pending insert', () => {
  it('is changed and removed in the transaction that adds it', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const store = openLines(file)
      const add = (id: string) => store.commit({ insert: lines, row: { owner: 'one', id, text: 'first' } })
      const outcomes = await Promise.all([
        add('a'),
        add('b'),
        store.commit({ update: lines, key: ['one', 'a'], set: { text: 'second' } }),
        store.commit({ remove: lines, key: ['one', 'b'] }),
        add('c'),
      ])
      expect(outcomes.every(({ applied }) => applied)).toBe(true)
      await store.close()
      const again = openLines(file)
      const { rows } = await again.page(lines, { index: 'ofOwner', is: 'one', order: 'asc', limit: 9 })
      expect(rows.map(({ id, text }) => `${id} ${text}`)).toEqual(['a second', 'c first'])
      await again.close()
    }))
})
