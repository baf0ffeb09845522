import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { collection } from '../../../lib/core/collection.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFolder } from './samples.ts'

type Page = { id: string; at: string; text?: string }
const pages = collection<Page>({
  name: 'pages',
  key: 'id',
  indexes: { newest: { by: 'at' } },
  detail: ['text'],
})
const open = (folder: string) =>
  openSqliteStore({ file: join(folder, 'store.db'), collections: declared(pages), clock: createFakeClock() })

/** How many details lie in the table beside. */
const aside = (folder: string): number => {
  const db = new DatabaseSync(join(folder, 'store.db'), { readOnly: true })
  const count = Number(db.prepare('SELECT count(*) AS n FROM pages_detail').get()?.n)
  db.close()
  return count
}

const SIZES = [10, 900, 1_100, 50_000]

describe('detail of a row', () => {
  it('is the same whatever its size, and whatever size it had before', () =>
    inFolder(async (folder) => {
      for (const from of SIZES)
        for (const to of SIZES) {
          const id = `p${from}-${to}`
          const store = open(folder)
          await store.commit<Page>({ insert: pages, row: { id, at: '1', text: 'a'.repeat(from) } })
          await store.commit<Page>({ update: pages, key: id, set: { text: `${'b'.repeat(to)}!` } })
          await store.commit<Page>({ update: pages, key: id, set: { at: '2' } })
          await store.close()
          const again = open(folder)
          expect(await again.get(pages, id, true)).toEqual({ id, at: '2', text: `${'b'.repeat(to)}!` })
          const query = { index: 'newest', order: 'desc', limit: 50, detail: true } as const
          const found = await again.page<Page>(pages, {
            ...query,
            where: [{ fields: ['text'], contains: `${'b'.repeat(to)}!` }],
          })
          expect(found.rows.find((row) => row.id === id)?.text).toHaveLength(to + 1)
          await again.close()
        }
    }))

  it('lies beside its row, and leaves nothing there when the row is removed', () =>
    inFolder(async (folder) => {
      const store = open(folder)
      await store.commit<Page>({ insert: pages, row: { id: 'p', at: '1' } })
      await store.commit<Page>({ insert: pages, row: { id: 'q', at: '1', text: 'x'.repeat(2_000) } })
      await store.commit<Page>({ update: pages, key: 'q', unset: ['text'] })
      const counts = [aside(folder)]
      for (const key of ['p', 'q']) {
        await store.commit({ remove: pages, key })
        counts.push(aside(folder))
      }
      expect(counts).toEqual([2, 1, 0])
      await store.close()
    }))
})
