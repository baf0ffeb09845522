import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { type Collection, collection } from '../../../lib/core/collection.ts'
import type { Blobs } from '../../../lib/ports/blobs.ts'
import type { Query, Store } from '../../../lib/ports/store.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { createMemoryBlobs } from '../../fakes/memory-blobs.ts'
import { type Opened, openTables } from './opened.ts'

type Book = { id: string; at: string; title: string; body?: string }
const books = collection<Book>({
  name: 'books',
  key: 'id',
  indexes: { newest: { by: 'at' } },
  detail: ['body'],
  summary: ['id', 'at', 'title'],
  long: ['title'],
})

const ROWS = 120
const AT_ONCE = 50
/** Sorted by title, the first is the last by its time; every title but each tenth is offloaded. */
const numberedBook = (n: number): Book => ({
  id: `b${String(n).padStart(3, '0')}`,
  at: `2026-01-01T00:${String(n).padStart(4, '0')}`,
  title: `${String(ROWS - n).padStart(3, '0')}${n % 10 === 0 ? '' : 't'.repeat(2_000)}`,
})

describe('a list sorted by a field that is offloaded', () => {
  const database = databaseForTests()
  let opened: Opened
  let [reading, most, reads] = [0, 0, 0]
  let before: () => Promise<unknown> = async () => undefined
  const memory = createMemoryBlobs()
  const blobs: Blobs = {
    ...memory,
    get: async (key) => {
      reads += 1
      reading += 1
      most = Math.max(most, reading)
      await before()
      reading -= 1
      return memory.get(key)
    },
  }

  beforeAll(async () => {
    const collections = [books] as unknown as Collection[]
    opened = await openTables({ client: database().client, collections, clock: createClock(), blobs })
    for (let n = 0; n < ROWS; n += 1) await opened.store.commit({ insert: books, row: numberedBook(n) })
  })
  beforeEach(() => {
    reads = 0
    most = 0
  })

  const byTitle = (store: Store, query: Partial<Query<Book>> = {}) =>
    store.page(books, { index: 'newest', sort: 'title', order: 'asc', limit: 5, total: true, ...query })

  it('reads fifty at once, and is in order', async () => {
    before = () => sleep(5)
    const { rows, total, next } = await byTitle(opened.store)
    const expected = Array.from({ length: ROWS }, (_, n) => numberedBook(ROWS - 1 - n))
    expect([rows, total]).toEqual([expected.slice(0, 5), ROWS])
    expect(most).toBe(AT_ONCE)
    const second = await byTitle(opened.store, next ? { after: next } : {})
    expect(second.rows).toEqual(expected.slice(5, 10))
  })

  it('is refused when its time is over, and begins no more reads', async () => {
    const clock = createFakeClock()
    const store = opened.again({ clock, mostMs: 500 })
    before = async () => clock.advance(20)
    const refused = { kind: 'invalid', code: 'selection_too_broad' }
    await expect(byTitle(store)).rejects.toMatchObject(refused)
    before = async () => undefined
    await sleep(100)
    expect(reads).toBe(AT_ONCE)
  })
})
