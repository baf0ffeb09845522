import { expect, it } from '@jest/globals'
import type { Key, Query, Store } from '../../lib/ports/store.ts'
import { type Note, note, notes, outcome } from './store-samples.ts'
import { changes, conditions } from './store-write-cases.ts'

const insertions = (store: () => Store) => {
  it('inserts a row that does not exist, and answers it', async () => {
    const row = note('insert', { body: 'heavy' })
    expect(await store().commit({ insert: notes, row })).toEqual({ applied: true, row: note('insert') })
    expect(await store().get(notes, 'insert')).toEqual(note('insert'))
    expect(await store().get(notes, 'insert', true)).toEqual(row)
  })
  it('answers no field that was not stored', async () => {
    const { row } = await store().commit({
      insert: notes,
      row: { ...note('bare'), title: undefined } as unknown as Note,
    })
    expect(Object.keys(row ?? {}).toSorted()).toEqual(Object.keys(note('bare')).toSorted())
  })
  it('does not insert over a row, and answers the row that stands there', async () => {
    await store().commit({ insert: notes, row: note('taken', { title: 'first', body: 'heavy' }) })
    const again = { insert: notes, row: note('taken', { title: 'second' }) }
    expect(await store().commit(again)).toEqual(outcome(false, note('taken', { title: 'first' })))
    expect((await store().commit(again, [], true)).row?.body).toBe('heavy')
    expect((await store().get(notes, 'taken'))?.title).toBe('first')
  })
  it('applies exactly one of 50 inserts of one key at once', async () => {
    const tries = Array.from({ length: 50 }, (_, at) =>
      store().commit({ insert: notes, row: note('race', { rank: at }) }),
    )
    const outcomes = await Promise.all(tries)
    const winners = outcomes.filter(({ applied }) => applied)
    expect(winners).toHaveLength(1)
    expect(await store().get(notes, 'race')).toEqual(winners[0]?.row)
  })
}

const updates = (store: () => Store) => {
  it.each(conditions)('updates when it is met, else answers the row: %s', async (name, when, applied) => {
    const before = note(`when ${name}`, { rank: 1, done: false })
    await store().commit({ insert: notes, row: { ...before, body: 'text' } })
    const change = { update: notes, key: before.id, set: { summary: 'changed' }, ...(when && { when }) }
    const row = applied ? { ...before, summary: 'changed' } : before
    expect(await store().commit(change)).toEqual(outcome(applied, row))
    expect(await store().get(notes, before.id)).toEqual(row)
  })
  it.each(changes)('an update %s', async (name, change, after) => {
    const before = note(`change ${name}`, { title: 'a', rank: 1, body: 'text', edits: 1 })
    await store().commit({ insert: notes, row: before })
    const outcome = await store().commit({ update: notes, key: before.id, ...change }, [], true)
    expect(outcome).toEqual({ applied: true, row: note(before.id, after) })
    expect(await store().get(notes, before.id, true)).toEqual(outcome.row)
  })
  it('leaves a row in its place of an index when the field of that had a value, and places it when it had none', async () => {
    await store().commit({ insert: notes, row: note('placed', { state: 'only here' }) })
    const setIfAbsent = { state: 'elsewhere', dueAt: '2035' }
    await store().commit({ update: notes, key: 'placed', setIfAbsent })
    const idsIn = async (query: Pick<Query<Note>, 'index' | 'is' | 'where'>) =>
      (await store().page(notes, { ...query, order: 'asc', limit: 10 })).rows.map(({ id }) => id)
    expect(await idsIn({ index: 'byState', is: 'only here' })).toEqual(['placed'])
    expect(await idsIn({ index: 'byState', is: 'elsewhere' })).toEqual([])
    expect(await idsIn({ index: 'due', where: [{ field: 'dueAt', in: ['2035'] }] })).toEqual(['placed'])
  })
  it('leaves detail alone, and out of the answer, when it is not named', async () => {
    await store().commit({ insert: notes, row: note('light', { body: 'heavy' }) })
    const outcome = await store().commit({ update: notes, key: 'light', set: { title: 't' } })
    expect(outcome.row).toEqual(note('light', { title: 't' }))
    expect((await store().get(notes, 'light', true))?.body).toBe('heavy')
  })
  it('counts an absent number as 0', async () => {
    await store().commit({ insert: notes, row: note('zero') })
    const { row } = await store().commit({ update: notes, key: 'zero', add: { rank: 5, edits: 2 } }, [], true)
    expect(row).toEqual(note('zero', { rank: 5, edits: 2 }))
  })
  it('answers nothing when there is no row, even if every condition asks for absence', async () => {
    const nobody: Key = 'nobody'
    const refused = await store().commit({
      update: notes,
      key: nobody,
      when: { state: null },
      set: { title: 't' },
    })
    expect(refused).toEqual(outcome(false, undefined))
    expect(await store().get(notes, nobody)).toBeUndefined()
  })
  it('applies exactly one of 50 updates at once that ask for the same state', async () => {
    await store().commit({ insert: notes, row: note('claim') })
    const claims = Array.from({ length: 50 }, (_, rank) =>
      store().commit({ update: notes, key: 'claim', when: { state: 'open' }, set: { state: 'taken', rank } }),
    )
    const winners = (await Promise.all(claims)).filter(({ applied }) => applied)
    expect(winners).toHaveLength(1)
    expect(await store().get(notes, 'claim')).toEqual(winners[0]?.row)
  })
  it('loses none of 50 additions at once', async () => {
    await store().commit({ insert: notes, row: note('sum') })
    const added = Array.from({ length: 50 }, () =>
      store().commit({ update: notes, key: 'sum', add: { rank: 1 } }),
    )
    const ranks = (await Promise.all(added)).map(({ row }) => row?.rank ?? 0)
    expect(ranks.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
  })
  it('refuses to change a key', async () => {
    await store().commit({ insert: notes, row: note('fixed') })
    await expect(store().commit({ update: notes, key: 'fixed', set: { id: 'moved' } })).rejects.toThrow()
    expect(await store().get(notes, 'fixed')).toEqual(note('fixed'))
  })
}

const removals = (store: () => Store) => {
  it('removes a row, and answers what it was', async () => {
    await store().commit({ insert: notes, row: note('gone', { body: 'heavy' }) })
    const outcome = await store().commit({ remove: notes, key: 'gone' }, [], true)
    expect(outcome).toEqual({ applied: true, row: note('gone', { body: 'heavy' }) })
    expect(await store().get(notes, 'gone', true)).toBeUndefined()
  })
  it('takes the detail along: a row that comes back has none', async () => {
    await store().commit({ insert: notes, row: note('back', { body: 'heavy' }) })
    await store().commit({ remove: notes, key: 'back' })
    await store().commit({ insert: notes, row: note('back') })
    expect(await store().get(notes, 'back', true)).toEqual(note('back'))
  })
  it('does not remove when the condition fails, and answers the row', async () => {
    await store().commit({ insert: notes, row: note('stays') })
    const refused = await store().commit({ remove: notes, key: 'stays', when: { state: 'shut' } })
    expect(refused).toEqual(outcome(false, note('stays')))
    expect(await store().get(notes, 'stays')).toEqual(note('stays'))
  })
  it('answers nothing when there is nothing to remove', async () => {
    expect(await store().commit({ remove: notes, key: 'none' })).toEqual(outcome(false, undefined))
  })
}

export const conditionalWrites = (store: () => Store) => {
  insertions(store)
  updates(store)
  removals(store)
}
