import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../../lib/core/collection.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFile, type Job, job, jobs, lines, openJobs } from './samples.ts'

const openWith = (file: string, ...collections: unknown[]) =>
  openSqliteStore({ file, clock: createFakeClock(), collections: declared(...collections) })

const ranked: Collection<Job> = {
  ...jobs,
  indexes: { ...jobs.indexes, byRank: { within: 'state', by: 'rank' } },
}
const byRank = { index: 'byRank', is: 'open', order: 'asc', limit: 9 } as const
const fill = async (file: string) => {
  const store = openJobs(file)
  for (const row of [job(1, { rank: 3 }), job(2), job(3, { rank: 0.1 })])
    await store.commit({ insert: jobs, row })
  await store.close()
}

/** What a file has once these versions of the service have opened it: its indexes, and the columns of its tables. */
const layoutAfter = async (...versions: unknown[][]) => {
  let layout: Record<string, unknown[]> = {}
  await inFile(async (file) => {
    for (const version of versions) await openWith(file, ...version).close()
    const db = new DatabaseSync(file)
    const columns = ({ name }: Record<string, unknown>) =>
      db
        .prepare('SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) ORDER BY name')
        .all(String(name))
        .map(Object.values)
    const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
    const indexes = db.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name`).all()
    layout = { ...Object.fromEntries(tables.map((table) => [table.name, columns(table)])), indexes }
    db.close()
  })
  return layout
}

describe('a file whose declarations have changed', () => {
  it('gains a new index, filled from the rows that are there', () =>
    inFile(async (file) => {
      await fill(file)
      const store = openWith(file, ranked)
      expect((await store.page(ranked, byRank)).rows.map(({ id }) => id)).toEqual(['j3', 'j1'])
      await store.close()
    }))
  it('gains a new collection beside the old ones', () =>
    inFile(async (file) => {
      await fill(file)
      const others = { ...jobs, name: 'others' }
      const store = openWith(file, jobs, others)
      expect((await store.commit({ insert: others, row: job(1) })).applied).toBe(true)
      expect(await store.count(jobs, { index: 'newest' })).toBe(3)
      await store.close()
    }))
  it('loses an index that is no longer declared, and is right when that comes back', () =>
    inFile(async (file) => {
      await fill(file)
      await openWith(file, ranked).close()
      const without = openJobs(file)
      await without.commit({ update: jobs, key: 'j1', set: { rank: -1 } })
      await without.commit({ update: jobs, key: 'j2', set: { rank: 0 } })
      await without.close()
      const again = openWith(file, ranked)
      expect((await again.page(ranked, byRank)).rows.map(({ id }) => id)).toEqual(['j1', 'j2', 'j3'])
      await again.close()
    }))
  it('comes to the layout of a new one', async () => {
    const grown = await layoutAfter(
      [
        { ...jobs, indexes: {}, expires: undefined },
        { ...lines, indexes: {} },
      ],
      [ranked, lines],
    )
    expect(grown).toEqual(await layoutAfter([ranked, lines]))
    expect(grown.jobs).toContainEqual(['_head', 'TEXT', 1, 0])
    expect(grown.lines).toContainEqual(['owner', '', 1, 1])
  })
  it('is refused when a key is no longer the same field', () =>
    inFile(async (file) => {
      await fill(file)
      expect(() => openWith(file, { ...jobs, key: 'at' })).toThrow('The key of stored jobs is another one')
      await openJobs(file).close()
    }))
})

describe('a file of another layout', () => {
  it.each([
    ['a newer version', 3, 'storage_too_new'],
    ['a version that was never released', 1, 'storage_incompatible'],
    ['another service', 0, 'storage_incompatible'],
  ])('is refused, and left as it is: that of %s', (_what, layout, code) =>
    inFile(async (file) => {
      await fill(file)
      const db = new DatabaseSync(file)
      const stored = () => db.prepare('PRAGMA user_version').get()?.user_version
      expect(stored()).toBe(2)
      db.exec(`PRAGMA user_version = ${layout}`)
      expect(() => openJobs(file)).toThrow(expect.objectContaining({ kind: 'unavailable', code }))
      expect(stored()).toBe(layout)
      db.close()
    }),
  )
})

describe('a declaration', () => {
  it.each([
    ['a collection', { ...jobs, name: 'jobs"; DROP TABLE jobs' }],
    ['a key', { ...jobs, key: 'id_' }],
    ['a field of an index', { ...jobs, indexes: { odd: { by: 'a b' } } }],
    ['a field of detail', { ...jobs, detail: ["a'"] }],
    ['a field in both an index and detail', { ...jobs, detail: ['at'] }],
  ])('with a name that SQL must not see is refused: %s', async (_, odd) => {
    expect(() => openWith(':memory:', odd)).toThrow(/letters and digits|cannot be detail/)
  })
})
