import { expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { seededRandom, upTo } from '../crash/random.ts'
import { type Entry, entries, outcome, walk } from './store-samples.ts'

type Model = Map<string, Entry>

/** Keys in the order in which storage has them. */
const sorted = (model: Model) => [...model.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
const paddedKey = (number: number) => `k${number.toFixed(2).padStart(9, '0')}`
const ofBook = (book: string) => ({ index: 'ofBook', is: book }) as const

/** Changes of one wave: most add a row after all others, some come late, change, remove, or come to nothing. */
const createWorld = (store: Store, book: string, random: () => number) => {
  const model: Model = new Map()
  let last = 0
  const entry = (id: string): Entry => {
    const kind = random() < 0.3 ? 'rare' : 'usual'
    return {
      book,
      id,
      kind,
      text: `text ${id}`,
      ...(random() < 0.2 ? { more: { '': [1.5, '"é\u0000'] } } : {}),
    }
  }
  const insert = async (id: string) => {
    const row = entry(id)
    const known = model.get(id)
    if (known === undefined) model.set(id, row)
    expect(await store.commit({ insert: entries, row })).toEqual(outcome(!known, known ?? row))
  }
  const update = async (id: string, text: string, kind?: string) => {
    const known = model.get(id)
    const meets = known !== undefined && (kind === undefined || known.kind === kind)
    const after = known && (meets ? { ...known, text } : known)
    if (after) model.set(id, after)
    const write = {
      update: entries,
      key: [book, id],
      set: { text },
      ...(kind && { when: { kind } }),
    } as const
    expect(await store.commit(write)).toEqual(outcome(meets, after))
  }
  const remove = async (id: string) => {
    const known = model.get(id)
    model.delete(id)
    expect(await store.commit({ remove: entries, key: [book, id] })).toEqual(outcome(!!known, known))
  }
  const someKey = () => paddedKey(upTo(last * 4, random) / 4)
  const change = (taken: Set<string>) => {
    const dice = random()
    if (dice < 0.6) last += 1
    const id = dice < 0.6 ? paddedKey(last) : someKey()
    if (taken.has(id)) return undefined
    taken.add(id)
    if (dice < 0.75) return insert(id)
    if (dice < 0.9) return update(id, `changed ${random()}`, random() < 0.5 ? 'rare' : undefined)
    return remove(id)
  }
  /** Changes of different rows, all under way at once. */
  const wave = async (many: number) => {
    const taken = new Set<string>()
    await Promise.all(Array.from({ length: many }, () => change(taken)))
  }
  return { model, wave, someKey }
}

/** Reads everything in every way and compares it with what must be there. */
const compare = async (store: Store, book: string, { model, someKey }: ReturnType<typeof createWorld>) => {
  const all = sorted(model)
  const rare = { where: [{ field: 'kind', in: ['rare'] }] } as const
  for (const order of ['asc', 'desc'] as const) {
    const rows = order === 'asc' ? all : all.toReversed()
    for (const limit of [3, 1_000])
      expect(await walk(store, entries, { ...ofBook(book), order, limit })).toEqual(rows)
    expect(await walk(store, entries, { ...ofBook(book), ...rare, order, limit: 2 })).toEqual(
      rows.filter(({ kind }) => kind === 'rare'),
    )
    const key = someKey()
    const after = { by: key, key }
    const page = await store.page(entries, { ...ofBook(book), order, limit: 3, after, total: true })
    expect(page.rows).toEqual(rows.filter(({ id }) => (order === 'asc' ? id > key : id < key)).slice(0, 3))
    expect(page.total).toBe(all.length)
  }
  expect(await store.count(entries, { ...ofBook(book), ...rare })).toBe(
    all.filter(({ kind }) => kind === 'rare').length,
  )
  for (const key of [someKey(), someKey(), someKey()])
    expect(await store.get(entries, [book, key])).toEqual(model.get(key))
}

const BOOKS = ['book 1', 'book 2']

export const ownedRows = (store: () => Store) => {
  it.each(BOOKS)('are what a model of them says after any changes, read in any way: %s', async (book) => {
    const random = seededRandom(20_261_123 + book.charCodeAt(5))
    const world = createWorld(store(), book, random)
    for (let turn = 0; turn < 8; turn += 1) {
      await world.wave(1 + upTo(12, random))
      await compare(store(), book, world)
    }
    expect(world.model.size).toBeGreaterThan(10)
  })

  it('of one owner are not those of another', async () => {
    const add = (book: string, id: string) =>
      store().commit({ insert: entries, row: { book, id, kind: 'usual', text: book } })
    await Promise.all([add('left', 'a1'), add('right', 'a2'), add('left', 'a3'), add('right', 'a4')])
    await store().commit({ update: entries, key: ['right', 'a2'], set: { text: 'changed' } })
    const texts = async (book: string) =>
      (await walk(store(), entries, { ...ofBook(book), order: 'asc', limit: 9 })).map(
        ({ id, text }) => id + text,
      )
    expect(await texts('left')).toEqual(['a1left', 'a3left'])
    expect(await texts('right')).toEqual(['a2changed', 'a4right'])
    expect(await store().get(entries, ['left', 'a2'])).toBeUndefined()
  })
}
