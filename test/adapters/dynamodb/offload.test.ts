import { beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { note, notes, samples } from '../../contract/store-samples.ts'
import { createInterruptedBlobs } from '../../fakes/blobs.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { openTables } from './opened.ts'

const large = (letter: string) => letter.repeat(500_000)

describe('large detail', () => {
  const database = databaseForTests()
  let store: Store
  let again: () => Store
  const { blobs, due, kept } = createInterruptedBlobs(notes)

  beforeAll(async () => {
    const { client } = database()
    const opened = await openTables({ client, collections: samples, clock: createClock(), blobs })
    store = opened.store
    again = opened.again
  })

  it('is offloaded, and comes when it is asked for', async () => {
    const row = note('offloaded', { body: large('a'), files: ['small'] })
    expect(await store.commit({ insert: notes, row }, [], true)).toEqual({ applied: true, row })
    expect(await kept('offloaded')).toBe(1)
    expect(await again().get(notes, 'offloaded', true)).toEqual(row)
    expect(await store.get(notes, 'offloaded')).toEqual(note('offloaded'))
    const query = { index: 'newest', order: 'asc', limit: 10 } as const
    expect((await store.page(notes, { ...query, detail: true })).rows).toContainEqual(row)
    const where = [{ fields: ['body' as const], contains: 'AAAAA' }]
    expect((await store.page(notes, { ...query, where })).rows).toEqual([note('offloaded')])
    expect(await store.count(notes, { index: 'newest', where })).toBe(1)
  })
  it('goes when it is changed, removed, or when its row is', async () => {
    await store.commit({ insert: notes, row: note('changed', { body: large('a') }) })
    await store.commit({ update: notes, key: 'changed', set: { body: large('b'), title: 't' } })
    expect(await kept('changed')).toBe(1)
    expect((await store.get(notes, 'changed', true))?.body).toBe(large('b'))
    await store.commit({ update: notes, key: 'changed', unset: ['body'] })
    expect(await kept('changed')).toBe(0)
    await store.commit({ update: notes, key: 'changed', set: { body: large('c') } })
    const { row } = await store.commit({ remove: notes, key: 'changed' }, [], true)
    expect(row?.body).toBe(large('c'))
    expect(await kept('changed')).toBe(0)
  })
  it('stays when the row is changed elsewhere', async () => {
    await store.commit({ insert: notes, row: note('beside', { body: large('a'), edits: 1 }) })
    const change = { update: notes, key: 'beside', set: { title: 't' }, add: { edits: 1 } }
    const { row } = await store.commit(change, [], true)
    expect(row).toEqual(note('beside', { title: 't', edits: 2, body: large('a') }))
    expect(await store.get(notes, 'beside', true)).toEqual(row)
  })
  it('leaves nothing behind when its write does not apply', async () => {
    await store.commit({ insert: notes, row: note('taken') })
    const row = note('taken', { body: large('a') })
    expect((await store.commit({ insert: notes, row })).applied).toBe(false)
    const change = { update: notes, key: 'taken', when: { state: 'shut' }, set: { body: large('b') } }
    expect((await store.commit(change)).applied).toBe(false)
    expect(
      (
        await store.commit({ insert: notes, row }, [
          { insert: notes, row: note('also taken', { body: large('b') }) },
        ])
      ).applied,
    ).toBe(false)
    expect(await kept('taken')).toBe(0)
  })
  it('can be asked for in a condition', async () => {
    await store.commit({ insert: notes, row: note('asked', { body: large('a') }) })
    const change = (body: string) => ({
      update: notes,
      key: 'asked',
      when: { body },
      set: { title: 'found' },
    })
    expect((await store.commit(change(large('b')))).applied).toBe(false)
    expect((await store.commit(change(large('a')))).applied).toBe(true)
    expect((await store.commit({ remove: notes, key: 'asked', when: { body: large('b') } })).applied).toBe(
      false,
    )
  })
  it('is read again when it was replaced between the row and the blob', async () => {
    await store.commit({ insert: notes, row: note('raced', { body: large('a') }) })
    due.get = () => store.commit({ update: notes, key: 'raced', set: { body: large('b') } })
    expect((await again().get(notes, 'raced', true))?.body).toBe(large('b'))
  })
  it('writes no row when it cannot be kept', async () => {
    due.put = () => Promise.reject(new Error('no room'))
    const row = note('unkept', { body: large('a') })
    await expect(store.commit({ insert: notes, row })).rejects.toThrow('no room')
    expect(await store.get(notes, 'unkept')).toBeUndefined()
  })
})
