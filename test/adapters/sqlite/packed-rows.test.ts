import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from '@jest/globals'
import { openSqliteStore, type SqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { collection } from '../../../lib/core/collection.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFile, type Line, lines } from './samples.ts'

const line = (id: string, text = `text ${id}`): Line => ({ owner: 'one', id, text })

/** What `use` made of a store, closed again. */
const within = async <T>(file: string, of: typeof lines, use: (store: SqliteStore) => Promise<T>) => {
  const store = openSqliteStore({ file, clock: createFakeClock(), collections: declared(of) })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/** The ids of each record, in the order of the table. */
const recordsIn = (file: string): string[] => {
  const db = new DatabaseSync(file)
  const records = db.prepare('SELECT _head AS head FROM lines ORDER BY owner, id').all()
  db.close()
  return records.map(({ head }) =>
    [JSON.parse(String(head))]
      .flat()
      .map(({ id }) => id)
      .join(' '),
  )
}

const fill = (file: string, of = lines) =>
  within(file, of, async (store) => {
    const add = (...ids: string[]) =>
      Promise.all(ids.map((id) => store.commit({ insert: lines, row: line(id) })))
    await add('b1', 'b2', 'b3')
    await add('d1', 'd2')
  })

describe('records of rows in the order of their keys', () => {
  it('hold what one batch adds to an owner', () =>
    inFile(async (file) => {
      await fill(file)
      expect(recordsIn(file)).toEqual(['b1 b2 b3', 'd1 d2'])
    }))

  it('take in what comes late where it belongs, and go with their last row', () =>
    inFile(async (file) => {
      await fill(file)
      await within(file, lines, async (store) => {
        for (const id of ['b15', 'c1', 'a1']) await store.commit({ insert: lines, row: line(id) })
        for (const id of ['d1', 'd2']) await store.commit({ remove: lines, key: ['one', id] })
        await store.commit({ remove: lines, key: ['one', 'b1'] })
      })
      expect(recordsIn(file)).toEqual(['a1', 'b15 b2 b3 c1'])
    }))

  it('may be of owners by any name', () =>
    inFile(async (file) => {
      const of = collection<{ path: string; value: string }>({
        name: 'odd',
        within: 'path',
        key: 'value',
        indexes: { ofPath: { within: 'path', by: 'value' } },
      })
      const store = openSqliteStore({ file, clock: createFakeClock(), collections: declared(of) })
      await store.commit({ insert: of, row: { path: 'p', value: 'v' } })
      const { rows } = await store.page(of, { index: 'ofPath', is: 'p', order: 'asc', limit: 9 })
      expect(rows).toEqual([{ path: 'p', value: 'v' }])
      await store.close()
    }))
})
