import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFolder, lines } from './samples.ts'

const open = (file: string) =>
  openSqliteStore({ file, clock: createFakeClock(), collections: declared(lines) })

describe('a row that was just added', () => {
  it('is changed and removed in the transaction that adds it', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'store.db')
      const store = open(file)
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
      const again = open(file)
      const { rows } = await again.page(lines, { index: 'ofOwner', is: 'one', order: 'asc', limit: 9 })
      expect(rows.map(({ id, text }) => `${id} ${text}`)).toEqual(['a second', 'c first'])
      await again.close()
    }))
})
