import { beforeAll, expect, it } from '@jest/globals'
import type { Query, Store } from '../../lib/ports/store.ts'
import { type Letter, letters } from './store-samples.ts'

export const rows: Letter[] = [
  { id: 'letter_01KF0Q8ABCDEF', at: '1', subject: 'Straße 100% _x', sender: { name: 'Ann Bee' } },
  {
    id: 'letter_01KF0Q8GHJKMN',
    at: '2',
    subject: '漢字 テスト🚀',
    body: 'the "cart" is EMPTY, it\'s (total) \\ NEAR',
  },
  { id: 'letter_01KF0Q8PQRSTV', at: '3', subject: 'ΟΔΟΣ', body: `${'long '.repeat(20_000)}needle\u0000end` },
  { id: 'letter_01KF0Q8WXYZ01', at: '4', sender: { name: 'Cy' }, files: ['src/cart/total.ts', 'README.md'] },
]

/** What each search finds, by the places of the rows. Files are heavy: storage may leave them out. */
export const cases: [words: string[], found: string][] = [
  [['strasse'], '1'],
  [['STRA', 'bee'], '1'],
  [['bee', 'cart'], ''],
  [['ann bee'], '1'],
  [['100%'], '1'],
  [['%'], '1'],
  [['_x'], '1'],
  [['1'], '1234'],
  [['GHJKMN'], '2'],
  [['letter_01kf0q8p'], '3'],
  [['0q8'], '1234'],
  [['漢字'], '2'],
  [['字'], '2'],
  [['スト'], '2'],
  [['🚀'], '2'],
  [['"cart"'], '2'],
  [['"'], '2'],
  [["it's"], '2'],
  [['(total)'], '2'],
  [['\\'], '2'],
  [['NEAR'], '2'],
  [['near('], ''],
  [['AND'], ''],
  [['OR 1=1'], ''],
  [['cart*'], ''],
  [['^the'], ''],
  [['the'], '2'],
  [['οδος'], '3'],
  [['needle'], '3'],
  [['needle\u0000END'], '3'],
  [['needleend'], ''],
  [['\u0000'], '3'],
  [['\u0001'], ''],
  [['cy'], '4'],
  [['nn'], '1'],
  [['zz'], ''],
  [['subject'], ''],
  [['x'.repeat(10_000)], ''],
]

/** A store of its own. */
export const searches = (store: () => Store) => {
  const search = (words: readonly string[], more: Partial<Query<Letter>> = {}) =>
    store().page(letters, {
      ...{ index: 'newest', order: 'asc', limit: 50, total: true, where: [{ words }] },
      ...more,
    })
  const places = ({ rows: found }: { rows: readonly Letter[] }) => found.map(({ at }) => at).join('')

  beforeAll(async () => {
    for (const row of rows) await store().commit({ insert: letters, row })
  })
  it.each(cases)('finds rows by all words %j', async (words, found) => {
    const page = await search(words)
    expect([places(page), page.total]).toEqual([found, found.length])
    expect(await store().count(letters, { index: 'newest', where: [{ words }] })).toBe(found.length)
  })
  it('names what it looked through, and looks through heavy texts where it names them', async () => {
    const page = await search(['cart/total'])
    const light = ['subject', 'id', 'sender', 'body']
    expect([[...light, 'files'], light]).toContainEqual(page.searched)
    expect(places(page)).toBe(page.searched?.includes('files') ? '4' : '')
    expect(await store().page(letters, { index: 'newest', order: 'asc', limit: 1 })).not.toHaveProperty(
      'searched',
    )
  })
  it('follows a change, a removal, and a row that comes back under its key', async () => {
    const [first] = rows as [Letter]
    await store().commit({ update: letters, key: first.id, set: { subject: 'Another', body: 'quick fox' } })
    expect(places(await search(['strasse']))).toBe('')
    expect(places(await search(['quick', 'ANOTHER']))).toBe('1')
    await store().commit({ update: letters, key: first.id, unset: ['body'] })
    expect(places(await search(['quick']))).toBe('')
    await store().commit({ remove: letters, key: first.id })
    expect(places(await search(['another']))).toBe('')
    await store().commit({ insert: letters, row: first })
    expect(places(await search(['strasse']))).toBe('1')
  })
  it('has pages in any order, and takes other tests beside the words', async () => {
    const first = await search(['0q8'], { order: 'desc', limit: 3 })
    expect([places(first), first.total]).toEqual(['432', 4])
    const after = first.next
    expect(places(await search(['0q8'], { order: 'desc', ...(after && { after }) }))).toBe('1')
    expect(places(await search(['0q8'], { sort: 'subject', order: 'desc', offset: 1 }))).toBe('314')
    const where = [{ words: ['0q8'] }, { field: 'at' as const, in: ['2', '3'] }]
    expect(places(await search([], { where }))).toBe('23')
  })
}
