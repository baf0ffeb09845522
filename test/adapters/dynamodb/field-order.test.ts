import { beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { type Collection, collection } from '../../../lib/core/collection.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { openTables } from './opened.ts'

type Person = { name: string; id: string; city: string; age: number; letter: string; zip: string; at: string }
const people = collection<Person>({
  name: 'people',
  key: 'id',
  indexes: { newest: { by: 'at' } },
  summary: ['name', 'id', 'at', 'city'],
  detail: ['letter'],
})
const ROW: Person = { at: 'now', letter: 'Dear', zip: '1', age: 5, city: 'B', id: 'p', name: 'N' }
const LISTED = ['name', 'id', 'at', 'city']
const UNLISTED = ['age', 'zip']

// An item has no order of fields: one emulator answers with another each time.
describe('the fields of a row', () => {
  const database = databaseForTests()
  let store: Store
  beforeAll(async () => {
    const { client } = database()
    const collections = [people] as unknown as Collection[]
    store = (await openTables({ client, collections, clock: createClock() })).store
    await store.commit({ insert: people, row: ROW })
  })

  it('come in the order of the collection, then the detail, then the others by name', async () => {
    const whole = [...LISTED, 'letter', ...UNLISTED]
    const query = { index: 'newest', order: 'asc', limit: 10 } as const
    const written = await store.commit({ update: people, key: 'p', set: { city: 'C' } }, [], true)
    const rows = [
      written.row,
      await store.get(people, 'p', true),
      ...(await store.page(people, { ...query, detail: true })).rows,
    ]
    expect(rows.map((row) => Object.keys(row ?? {}))).toEqual([whole, whole, whole])
    expect(rows.at(-1)).toEqual({ ...ROW, city: 'C' })
    const light = [await store.get(people, 'p'), ...(await store.page(people, query)).rows]
    expect(light.map((row) => Object.keys(row ?? {}))).toEqual([[...LISTED, ...UNLISTED], LISTED])
  })
})
