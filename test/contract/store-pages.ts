import { beforeAll, expect, it } from '@jest/globals'
import type { Query, Store } from '../../lib/ports/store.ts'
import { day, indexed, rows, sorted, tests } from './store-page-cases.ts'
import { type Line, lines, type Note, note, notes, walk } from './store-samples.ts'

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).join('')
const opposite = (text: string) => [...text].reverse().join('')
const orders = ['asc', 'desc'] as const

const walks = (store: () => Store) => {
  const both = async (query: Omit<Query<Note>, 'order' | 'limit'>, expected: string) => {
    for (const order of orders)
      for (const limit of [1, 2, 3, 8, 50]) {
        const found = ids(await walk(store(), notes, { ...query, order, limit }))
        expect([order, limit, found]).toEqual([order, limit, order === 'asc' ? expected : opposite(expected)])
      }
  }
  it.each(indexed)('walks %s in order, both ways, in pages of any size', (_, query, expected) =>
    both(query, expected),
  )
  it.each(tests)('walks and counts the rows that have %s', async (_, where, expected) => {
    await both({ index: 'newest', where }, expected)
    expect(await store().count(notes, { index: 'newest', where })).toBe(expected.length)
    const query = { index: 'newest', where, order: 'desc', limit: 2, total: true } as const
    const first = await store().page(notes, query)
    expect([first.total, ids(first.rows)]).toEqual([expected.length, opposite(expected).slice(0, 2)])
    const rest = await store().page(notes, { ...query, ...(first.next && { after: first.next }), limit: 50 })
    expect([rest.total, ids(rest.rows)]).toEqual([
      expected.length,
      opposite(expected).slice(first.next ? 2 : 0),
    ])
  })
  it.each(sorted)('walks rows sorted by %s', (_, sort, query, expected) => both({ ...query, sort }, expected))
  it.each(indexed)('counts %s', async (_, query, expected) => {
    expect(await store().count(notes, query)).toBe(expected.length)
  })
}

const single = (store: () => Store) => {
  const page = (query: Partial<Query<Note>>) =>
    store().page(notes, { index: 'newest', order: 'asc', limit: 3, ...query })

  it('says where to go on only while rows are left', async () => {
    expect((await page({ limit: 8 })).next).toBeUndefined()
    expect((await page({ limit: 7 })).next).toEqual({ by: day(5), key: 'g' })
    expect((await page({ limit: 7, sort: 'rank', order: 'desc' })).next).toEqual({ by: -1, key: 'h' })
  })
  it('goes on after a position that no row has', async () => {
    expect(ids((await page({ after: { by: day(2), key: 'bb' } })).rows)).toBe('cde')
    expect(ids((await page({ after: { by: day(2), key: 'bb' }, order: 'desc' })).rows)).toBe('ba')
    expect(ids((await page({ after: { by: null, key: 'd' }, sort: 'rank' })).rows)).toBe('ehd')
    expect(ids((await page({ after: { by: null, key: 'f' }, sort: 'rank', order: 'desc' })).rows)).toBe('e')
  })
  it('skips rows by number', async () => {
    expect(ids((await page({ offset: 2 })).rows)).toBe('cde')
    expect(ids((await page({ offset: 2, index: 'byOwner', is: 'ann', order: 'desc' })).rows)).toBe('a')
    expect(ids((await page({ offset: 1, sort: 'rank' })).rows)).toBe('hdb')
    expect(ids((await page({ offset: 7 })).rows)).toBe('h')
    expect(await page({ offset: 8 })).toEqual({ rows: [], next: undefined })
  })
  it('tells how many there are on all pages when it is asked for', async () => {
    expect(await page({})).not.toHaveProperty('total')
    expect((await page({ total: true, offset: 7 })).total).toBe(8)
    expect((await page({ total: true, sort: 'rank', after: { by: 3, key: 'g' } })).total).toBe(8)
    expect((await page({ total: true, index: 'byOwner', is: 'bob', limit: 1 })).total).toBe(3)
  })
  it('brings detail when it is asked for', async () => {
    expect((await page({ limit: 1 })).rows[0]).not.toHaveProperty('body')
    expect((await page({ limit: 8, detail: true })).rows).toEqual(rows)
  })
  it('refuses an index that is not declared, a partition too few, and one too many', async () => {
    await expect(page({ index: 'none' })).rejects.toThrow('none')
    await expect(page({ index: 'byOwner' })).rejects.toThrow('byOwner')
    await expect(page({ is: 'ann' })).rejects.toThrow('newest')
  })
}

/** A store of its own, so that the rows above are all there are. */
export const pages = (store: () => Store) => {
  beforeAll(async () => {
    for (const row of rows.toReversed()) await store().commit({ insert: notes, row })
  })
  walks(store)
  single(store)
}

const pairs: Line[] = ['p', 'q', 'r'].flatMap((noteId) =>
  [1, 2, 3].map((at) => ({ noteId, id: String(at), at, text: `${noteId}${at}` })),
)
const joinedTexts = (found: readonly Line[]) => found.map(({ text }) => text).join(' ')

/** Rows whose key is a pair, again in a store of their own. */
export const pairPages = (store: () => Store) => {
  beforeAll(async () => {
    for (const row of pairs) await store().commit({ insert: lines, row })
  })
  it.each([1, 2, 50])('walks the rows of one owner in pages of %i', async (limit) => {
    const query = { index: 'inOrder', is: 'q', limit } as const
    expect(joinedTexts(await walk(store(), lines, { ...query, order: 'asc' }))).toBe('q1 q2 q3')
    expect(joinedTexts(await walk(store(), lines, { ...query, order: 'desc' }))).toBe('q3 q2 q1')
    expect(await store().count(lines, query)).toBe(3)
  })
  it.each([1, 2, 50])('walks across owners in pages of %i, and tells equal keys apart', async (limit) => {
    const query = { index: 'recent', order: 'desc', limit } as const
    expect(joinedTexts(await walk(store(), lines, query))).toBe('r3 q3 p3 r2 q2 p2 r1 q1 p1')
  })
}

/** Cursor walks among writers, in a store of their own. */
export const movingPages = (store: () => Store) => {
  const at = (n: number) => `2025-04-01T00:00:${String(n % 60).padStart(2, '0')}`
  const row = (n: number) => note(`n${String(n).padStart(3, '0')}`, { createdAt: at(Math.floor(n / 5)) })
  const first = Array.from({ length: 100 }, (_, n) => row(2 * n))

  it.each(orders)('repeats and skips nothing while rows are added and removed (%s)', async (order) => {
    for (const one of first) await store().commit({ insert: notes, row: one })
    let added = 0
    const disturb = async () => {
      const extra = row(2 * added + 1)
      await store().commit({ insert: notes, row: extra })
      await store().commit({ remove: notes, key: row(2 * added - 19).id })
      added += 5
    }
    const seen = (await walk(store(), notes, { index: 'newest', order, limit: 7 }, disturb)).map(
      ({ id }) => id,
    )
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => first.some((one) => one.id === id)).toSorted()).toEqual(
      first.map(({ id }) => id),
    )
    expect(seen).toEqual(order === 'asc' ? seen.toSorted() : seen.toSorted().reverse())
  })
}
