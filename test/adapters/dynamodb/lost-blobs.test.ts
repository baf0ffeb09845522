import { beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { type Collection, collection } from '../../../lib/core/collection.ts'
import { LOST_TEXT } from '../../../lib/core/truncated.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { createMemoryBlobs } from '../../fakes/memory-blobs.ts'
import { openTables } from './opened.ts'

type Page = {
  id: string
  shelf: string
  title: string
  tags: string[]
  text?: string
  note?: string
  edits?: number
}
const pages = collection<Page, 'text' | 'note', 'title' | 'tags'>({
  name: 'pages',
  key: 'id',
  indexes: { ofShelf: { within: 'shelf', by: 'id' } },
  detail: ['text', 'note'],
  long: ['title', 'tags'],
  summary: ['id', 'shelf', 'title', 'tags', 'edits'],
  placeholders: { title: LOST_TEXT, tags: [] },
})

const LONG = 'word '.repeat(400)
const pageRow = (id: string, more: Partial<Page> = {}): Page => ({
  id,
  shelf: 'a',
  title: 'Title',
  tags: ['t'],
  ...more,
})
const SOUND = pageRow('sound', { text: `${LONG}sound`, note: 'short' })
const LOST_DETAIL = pageRow('lostDetail', { text: LONG, note: 'short' })
const LOST_LIGHT = pageRow('lostLight', { title: LONG, note: 'short' })
const detailLost = { ...pageRow('lostDetail', { note: 'short' }), truncated: ['text'] }
const lightLost = { ...pageRow('lostLight', { title: LOST_TEXT, note: 'short' }), truncated: ['title'] }
const light = ({ text: _text, note: _note, ...row }: Page) => row

const LOSSES: [how: string, lose: (key: string) => Promise<void>][] = []
const blobs = createMemoryBlobs()
LOSSES.push(
  ['removed', (key) => blobs.remove(key)],
  ['half of what it was', async (key) => blobs.put(key, (await blobs.get(key))?.slice(0, 100) ?? '')],
  ['of other data', (key) => blobs.put(key, 'null')],
)

describe.each(LOSSES)('rows whose blob is %s', (_how, lose) => {
  const database = databaseForTests()
  let store: Store
  const told: object[] = []

  beforeAll(async () => {
    const needs = {
      client: database().client,
      clock: createClock(),
      blobs,
      mostInside: 1_000,
      mostCopied: 500,
    }
    const collections = [pages] as unknown as readonly Collection[]
    const opened = await openTables({ ...needs, collections })
    store = opened.again({ onLost: (lost) => told.push(lost) })
    for (const row of [SOUND, LOST_DETAIL, LOST_LIGHT]) await store.commit({ insert: pages, row })
    const { keys } = await blobs.list('rows/pages/lost', { limit: 10 })
    expect(keys).toHaveLength(2)
    for (const key of keys) await lose(key)
  })

  const ofShelf = { index: 'ofShelf', is: 'a', order: 'asc', limit: 10 } as const
  const READS: [string, () => Promise<unknown>, unknown][] = [
    ['one, in full', () => store.get(pages, 'lostDetail', true), detailLost],
    ['one without its detail, where that is lost', () => store.get(pages, 'lostDetail'), light(LOST_DETAIL)],
    [
      'one without its detail',
      () => store.get(pages, 'lostLight'),
      { ...light(LOST_LIGHT), title: LOST_TEXT, truncated: ['title'] },
    ],
    [
      'a list',
      async () => (await store.page(pages, ofShelf)).rows.map(({ id }) => id),
      ['lostDetail', 'lostLight', 'sound'],
    ],
    [
      'a list in full',
      async () => (await store.page(pages, { ...ofShelf, detail: true })).rows,
      [detailLost, lightLost, SOUND],
    ],
    [
      'a search in a lost field',
      async () =>
        (await store.page(pages, { ...ofShelf, where: [{ fields: ['text', 'note'], contains: 'sound' }] }))
          .rows,
      [light(SOUND)],
    ],
    [
      'a count by a lost field',
      () =>
        store.count(pages, { index: 'ofShelf', is: 'a', where: [{ fields: ['title'], contains: 'Title' }] }),
      2,
    ],
    [
      'a list sorted by a lost field',
      async () => (await store.page(pages, { ...ofShelf, sort: 'title', total: true })).total,
      3,
    ],
  ]
  it.each(READS)('are served: %s', async (_name, read, expected) => {
    expect(await read()).toEqual(expected)
  })

  it('are told of once for each blob', () => {
    expect(told.map((lost) => (lost as { fields: string[] }).fields).sort()).toEqual([['text'], ['title']])
  })

  it('can be changed, and name what they have lost in the outcome; a condition on a lost field does not hold', async () => {
    const change = { update: pages, key: 'lostDetail', add: { edits: 1 } } as const
    expect(await store.commit<Page>(change, [], true)).toEqual({
      applied: true,
      row: { ...detailLost, edits: 1 },
    })
    for (const text of [LONG, null, ''])
      expect((await store.commit<Page>({ ...change, when: { text } })).applied).toBe(false)
    expect((await store.commit<Page>({ ...change, when: { note: 'short' } })).applied).toBe(true)
    const again = await store.commit<Page>(
      { update: pages, key: 'lostDetail', set: { text: 'new' } },
      [],
      true,
    )
    expect(again.row).toEqual(pageRow('lostDetail', { text: 'new', note: 'short', edits: 2 }))
    const removal = await store.commit<Page>({ remove: pages, key: 'lostLight' }, [], true)
    expect([removal.applied, await store.get(pages, 'lostLight')]).toEqual([true, undefined])
  })
})
