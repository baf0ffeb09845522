import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { type Letter, letters } from '../../contract/store-samples.ts'
import { cases, rows } from '../../contract/store-searches.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFile } from './samples.ts'

const open = (file: string, clock = createFakeClock(), of: unknown = letters) => {
  const store = openSqliteStore({ file, clock, collections: declared(of) })
  store.start()
  return store
}
const letter = (n: number): Letter => ({
  id: `letter_${n}`,
  at: String(n).padStart(6, '0'),
  subject: n % 2 === 0 ? 'even' : 'odd',
  body: `body of ${n}`,
})

const found = async (store: ReturnType<typeof open>, ...words: string[]) => {
  const query = { index: 'newest', order: 'asc', limit: 1, total: true, where: [{ words }] } as const
  return (await store.page(letters, query)).total
}

/** The rows of a file that its index does not have yet. */
const unindexed = (file: string) => {
  using db = new DatabaseSync(file, { readOnly: true })
  return Number(db.prepare('SELECT count(*) AS n FROM letters_unindexed').get()?.n)
}

/** Lets time pass until the file has an index of all rows. */
const letIndex = async (file: string, clock: ReturnType<typeof createFakeClock>) => {
  while (unindexed(file) > 0) {
    clock.advance(1_000)
    await nextTurn()
  }
}

describe('the search index of a file', () => {
  it('finds the same rows before and after they are indexed, and after they changed again', () =>
    inFile(async (file) => {
      const clock = createFakeClock()
      const store = open(file, clock)
      for (let n = 0; n < 500; n++) await store.commit({ insert: letters, row: letter(n) })
      const counts = async () =>
        Promise.all([
          found(store, 'even'),
          found(store, 'od'),
          found(store, 'letter_49'),
          found(store, 'of 7'),
        ])
      const expected = [250, 500, 11, 11]
      expect(await counts()).toEqual(expected)
      await letIndex(file, clock)
      expect(await counts()).toEqual(expected)
      await store.commit({ update: letters, key: 'letter_0', set: { subject: 'odd' } })
      await store.commit({ remove: letters, key: 'letter_2' })
      expect([await found(store, 'even'), await found(store, 'odd')]).toEqual([248, 251])
      await letIndex(file, clock)
      expect([await found(store, 'even'), await found(store, 'odd')]).toEqual([248, 251])
      await store.close()
      expect(unindexed(file)).toBe(0)
    }))

  it('finds by each search what it found before', () =>
    inFile(async (file) => {
      const clock = createFakeClock()
      const store = open(file, clock)
      for (const row of rows) await store.commit({ insert: letters, row })
      const totals = async () => {
        const counted = []
        for (const [words] of cases) counted.push([words, await found(store, ...words)])
        return counted
      }
      const expected = cases.map(([words, places]) => [words, places.length])
      expect(await totals()).toEqual(expected)
      await letIndex(file, clock)
      expect(await totals()).toEqual(expected)
      await store.close()
    }))

  it('goes on after a restart, and begins with the rows of a file that had none', () =>
    inFile(async (file) => {
      const { search: _, ...plain } = letters
      const before = open(file, createFakeClock(), plain)
      for (let n = 0; n < 10; n++) await before.commit({ insert: letters, row: letter(n) })
      await before.close()
      const stopped = open(file)
      expect(await found(stopped, 'even')).toBe(5)
      await stopped.close()
      expect(unindexed(file)).toBe(10)
      const clock = createFakeClock()
      const store = open(file, clock)
      await letIndex(file, clock)
      expect(await found(store, 'even')).toBe(5)
      await store.close()
      expect(unindexed(file)).toBe(0)
    }))
})
