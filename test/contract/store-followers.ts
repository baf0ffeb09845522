import { describe, expect, it } from '@jest/globals'
import type { Store, Tally } from '../../lib/ports/store.ts'
import { lines, note, notes } from './store-samples.ts'

const line = (noteId: string, id: string, at = 1) => ({ noteId, id, at, text: `${noteId}/${id}` })

export const followers = (store: () => Store) => {
  it('follows an applied head with every follower', async () => {
    await store().commit({ insert: notes, row: note('helped') })
    await store().commit({ insert: notes, row: note('spent') })
    await store().commit({ insert: notes, row: note('head') }, [
      { insert: lines, row: line('head', '1') },
      { update: notes, key: 'helped', set: { title: 'by head' } },
      { remove: notes, key: 'spent' },
    ])
    expect(await store().get(lines, ['head', '1'])).toEqual(line('head', '1'))
    expect((await store().get(notes, 'helped'))?.title).toBe('by head')
    expect(await store().get(notes, 'spent')).toBeUndefined()
  })
  it('writes nothing when the head does not apply', async () => {
    await store().commit({ insert: notes, row: note('shut', { state: 'shut' }) })
    const { applied } = await store().commit(
      { update: notes, key: 'shut', when: { state: 'open' }, set: { title: 't' } },
      [
        { insert: lines, row: line('shut', '1') },
        { tally: 'of shut', member: 'm', add: { n: 1 } },
      ],
    )
    expect(applied).toBe(false)
    expect(await store().get(lines, ['shut', '1'])).toBeUndefined()
    expect(await store().tallies('of shut')).toEqual({})
  })
  it('skips only the follower whose condition fails', async () => {
    await store().commit({ insert: notes, row: note('busy', { state: 'shut' }) })
    const { applied } = await store().commit({ insert: notes, row: note('goes on') }, [
      { update: notes, key: 'busy', when: { state: 'open' }, set: { title: 'never' } },
      { insert: notes, row: note('busy') },
      { update: notes, key: 'nobody', set: { title: 'never' } },
      { insert: lines, row: line('goes on', '1') },
    ])
    expect(applied).toBe(true)
    expect(await store().get(notes, 'busy')).toEqual(note('busy', { state: 'shut' }))
    expect(await store().get(lines, ['goes on', '1'])).toEqual(line('goes on', '1'))
  })
  it('refuses half a key, and a pair where there is one key', async () => {
    await expect(store().get(lines, 'one')).rejects.toThrow()
    await expect(store().get(notes, ['one', 'two'])).rejects.toThrow()
  })
  it('keeps equal keys of two owners apart', async () => {
    await store().commit({ insert: lines, row: line('one', 'same') })
    expect((await store().commit({ insert: lines, row: line('two', 'same') })).applied).toBe(true)
    await store().commit({ remove: lines, key: ['one', 'same'] })
    expect(await store().get(lines, ['two', 'same'])).toEqual(line('two', 'same'))
  })
}

const tallied = (store: () => Store, tallies: readonly Tally[]) =>
  Promise.all(
    tallies.map((tally, at) =>
      store().commit({ insert: lines, row: line(`tally ${tally.tally}`, String(at)) }, [tally]),
    ),
  )

export const tallies = (store: () => Store) => {
  it('adds, and keeps the least and the most', async () => {
    await tallied(
      store,
      [5, 3, 9].map((ms) => ({
        tally: 'runs',
        member: 'monday',
        add: { count: 1, ms },
        least: { fastest: ms },
        most: { slowest: ms },
      })),
    )
    const monday = { count: 3, ms: 17, fastest: 3, slowest: 9 }
    expect(await store().tallies('runs')).toEqual({ monday })
    await tallied(store, [{ tally: 'runs', member: 'monday', add: { count: -1 } }])
    await tallied(store, [{ tally: 'runs', member: 'monday', least: { fastest: 4 }, most: { slowest: 8 } }])
    expect(await store().tallies('runs')).toEqual({ monday: { ...monday, count: 3 } })
  })
  it('takes several tallies from one commit, also of one member', async () => {
    await store().commit({ insert: lines, row: line('twice', '1') }, [
      { tally: 'twice', member: 'a', add: { n: 1 } },
      { tally: 'twice', member: 'a', add: { n: 2, other: 1 } },
      { tally: 'twice', member: 'b', add: { n: 0 } },
    ])
    expect(await store().tallies('twice')).toEqual({ a: { n: 3, other: 1 }, b: { n: 0 } })
  })
  it('loses none of 50 additions at once', async () => {
    await tallied(
      store,
      Array.from({ length: 50 }, () => ({ tally: 'rush', member: 'm', add: { n: 1 } })),
    )
    expect(await store().tallies('rush')).toEqual({ m: { n: 50 } })
  })
  it('answers members from a name on, and nothing of other groups', async () => {
    const days = ['2025-01-01', '2025-01-02', '2025-01-03']
    await tallied(
      store,
      days.map((member) => ({ tally: 'days', member, add: { n: 1 } })),
    )
    expect(Object.keys(await store().tallies('days'))).toEqual(days)
    expect(Object.keys(await store().tallies('days', '2025-01-02'))).toEqual(days.slice(1))
    expect(await store().tallies('day')).toEqual({})
  })
  it('keeps odd names of members and totals', async () => {
    await tallied(store, [{ tally: 'odd/#', member: 'a b|c#é', add: { 'x.y': 1 } }])
    expect(await store().tallies('odd/#')).toEqual({ 'a b|c#é': { 'x.y': 1 } })
  })
}

/** What only a store with transactions can promise; `reason` says why an adapter lacks them. */
export const transactions = (store: () => Store, reason: string | undefined) => {
  if (reason !== undefined) return it.todo(`has no transactions: ${reason}`)
  return describe('in a transaction', () => {
    it('writes nothing at all when a follower cannot be written', async () => {
      const poison: Record<string, unknown> = {}
      poison.self = poison
      const refused = store().commit({ insert: notes, row: note('whole') }, [
        { insert: lines, row: line('whole', '1') },
        { tally: 'whole', member: 'm', add: { n: 1 } },
        { insert: notes, row: note('poison', { metadata: poison }) },
      ])
      const beside = store().commit({ insert: notes, row: note('beside') }, [
        { tally: 'whole', member: 'beside', add: { n: 1 } },
      ])
      await expect(refused).rejects.toThrow(TypeError)
      expect((await beside).applied).toBe(true)
      expect(await store().get(notes, 'whole')).toBeUndefined()
      expect(await store().get(lines, ['whole', '1'])).toBeUndefined()
      expect(await store().tallies('whole')).toEqual({ beside: { n: 1 } })
    })
    it('applies changes in the order of their commits, each on what the one before left', async () => {
      const outcomes = await Promise.all([
        store().commit({ insert: notes, row: note('chain') }),
        store().commit({ update: notes, key: 'chain', when: { state: 'open' }, set: { state: 'shut' } }),
        store().commit({ update: notes, key: 'chain', when: { state: 'open' }, set: { state: 'lost' } }),
        store().commit({ remove: notes, key: 'chain', when: { state: 'shut' } }),
        store().commit({ insert: notes, row: note('chain', { title: 'again' }) }),
      ])
      expect(outcomes.map(({ applied }) => applied)).toEqual([true, true, false, true, true])
      expect(await store().get(notes, 'chain')).toEqual(note('chain', { title: 'again' }))
    })
  })
}
