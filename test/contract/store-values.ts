import { expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { lines, note, notes, type Ticket, tickets } from './store-samples.ts'

const texts: [string, string][] = [
  ['empty', ''],
  ['quotes and backslashes', `'"\\ \`; DROP TABLE notes; --`],
  ['beyond the basic plane', '𝒳 😀 né e\u0301 ﷽ \u202e'],
  ['control characters', 'a\u0000b\u0001\n\r\t\u007f\u2028'],
  ['half a surrogate pair', 'a\ud83d'],
]
const metadata: [string, string][] = [
  [
    '__proto__ as a key',
    '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"a":{"__proto__":null}}',
  ],
  ['keys in their order', '{"z":1,"a":{"c":[],"b":{}},"é":"","":0}'],
  ['numbers', '[0,-1,1.5,1e+21,5e-324,9007199254740991,0.1]'],
  ['literals', '[null,true,false,"",[[]],{}]'],
]
const keys = [
  ' ',
  'a b',
  'é😀',
  "it's",
  '"',
  '%_',
  '*',
  '../x',
  '#',
  '|',
  'a\u0000b',
  `long ${'k'.repeat(900)}`,
]

export const values = (store: () => Store) => {
  it.each(texts)('keeps a text to the code unit: %s', async (name, text) => {
    const row = note(`text ${name}`, { title: text, labels: [text], body: text })
    await store().commit({ insert: notes, row })
    expect(await store().get(notes, row.id, true)).toEqual(row)
  })
  it.each(metadata)('keeps JSON as it was, byte for byte: %s', async (name, json) => {
    const row = note(`json ${name}`, { metadata: JSON.parse(json) })
    await store().commit({ insert: notes, row })
    await store().commit({ update: notes, key: row.id, set: { title: 'touched' } })
    expect(JSON.stringify((await store().get(notes, row.id))?.metadata)).toBe(json)
    await store().commit({ update: notes, key: row.id, set: { metadata: [JSON.parse(json)] } })
    expect(JSON.stringify((await store().get(notes, row.id))?.metadata)).toBe(`[${json}]`)
  })
  it('keeps 300 kB of detail', async () => {
    const row = note('large', { body: 'é'.repeat(150_000) })
    await store().commit({ insert: notes, row })
    expect(await store().get(notes, 'large', true)).toEqual(row)
    expect(await store().get(notes, 'large')).toEqual(note('large'))
  })
  it.each(keys)('takes %j for a key, and for half a key', async (key) => {
    await store().commit({ insert: notes, row: note(key, { title: 'odd' }) })
    await store().commit({ insert: lines, row: { noteId: key, id: key, at: 1, text: 'odd' } })
    expect(await store().get(notes, key)).toEqual(note(key, { title: 'odd' }))
    expect((await store().get(lines, [key, key]))?.text).toBe('odd')
    expect(await store().get(notes, `${key}x`)).toBeUndefined()
  })
}

const START = 1_750_000_000_000
const ticket = (id: string, more: Partial<Ticket> = {}): Ticket => ({
  id,
  user: id,
  createdAt: '2025',
  ...more,
})

/** `set` moves the clock of the store. Expiry is decided by that clock alone, whenever rows are really removed. */
export const expiry = (store: () => Store, set: (ms: number) => void) => {
  const expiring = async (id: string) => {
    set(START)
    await store().commit({ insert: tickets, row: ticket(id, { expiresAt: START + 1_000, body: 'old' }) })
    await store().commit({ insert: tickets, row: ticket(`${id} forever`, { user: id, createdAt: '2026' }) })
    return { insert: tickets, row: ticket(id, { uses: 1 }) }
  }
  const query = (id: string) => ({ index: 'byUser', is: id, order: 'asc', limit: 10 }) as const
  const listed = async (id: string) => (await store().page(tickets, query(id))).rows.map((row) => row.id)

  it('reads, lists and counts a row until the moment it expires', async () => {
    await expiring('read')
    set(START + 999)
    expect((await store().get(tickets, 'read', true))?.body).toBe('old')
    expect(await listed('read')).toEqual(['read', 'read forever'])
    expect(await store().count(tickets, query('read'))).toBe(2)
    set(START + 1_000)
    expect(await store().get(tickets, 'read')).toBeUndefined()
    expect(await listed('read')).toEqual(['read forever'])
    expect(await store().count(tickets, query('read'))).toBe(1)
  })
  it('inserts over an expired row, and nothing of that remains', async () => {
    const insert = await expiring('insert')
    expect((await store().commit(insert)).applied).toBe(false)
    set(START + 1_000)
    expect(await store().commit(insert)).toEqual({ applied: true, row: insert.row })
    expect(await store().get(tickets, 'insert', true)).toEqual(insert.row)
    expect(await listed('insert')).toEqual(['insert', 'insert forever'])
  })
  it('neither updates nor removes an expired row', async () => {
    await expiring('write')
    set(START + 1_000)
    const absent = { applied: false, row: undefined, refused: 0 }
    expect(await store().commit({ update: tickets, key: 'write', add: { uses: 1 } })).toEqual(absent)
    expect(await store().commit({ remove: tickets, key: 'write' })).toEqual(absent)
  })
  it('lives on when its expiry is moved or removed in time', async () => {
    await expiring('moved')
    await store().commit({ update: tickets, key: 'moved', set: { expiresAt: START + 2_000 } })
    set(START + 1_999)
    expect((await store().commit({ update: tickets, key: 'moved', unset: ['expiresAt'] })).applied).toBe(true)
    set(START + 9_000)
    expect(await listed('moved')).toEqual(['moved', 'moved forever'])
  })
}
