import { describe, expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { lines, note, notes } from './store-samples.ts'

const line = (noteId: string, id: string, at = 1) => ({ noteId, id, at, text: `${noteId}/${id}` })

/** A commit of several rows. */
export const commits = (store: () => Store) => {
  it('writes the head with every row', async () => {
    await store().commit({ insert: notes, row: note('helped') })
    await store().commit({ insert: notes, row: note('spent') })
    const outcome = await store().commit({ insert: notes, row: note('head') }, [
      { insert: lines, row: line('head', '1') },
      { update: notes, key: 'helped', set: { title: 'by head' } },
      { remove: notes, key: 'spent' },
    ])
    expect(outcome).toEqual({ applied: true, row: note('head') })
    expect(await store().get(lines, ['head', '1'])).toEqual(line('head', '1'))
    expect((await store().get(notes, 'helped'))?.title).toBe('by head')
    expect(await store().get(notes, 'spent')).toBeUndefined()
  })

  it('writes nothing when the head does not apply, and answers what stood in its way', async () => {
    const shut = note('shut', { state: 'shut' })
    await store().commit({ insert: notes, row: shut })
    const change = { update: notes, key: 'shut', when: { state: 'open' }, set: { title: 't' } }
    const refused = await store().commit(change, [{ insert: lines, row: line('shut', '1') }])
    expect(refused).toEqual({ applied: false, row: shut, refused: 0 })
    expect(await store().get(lines, ['shut', '1'])).toBeUndefined()
  })

  it('refuses half a key, and a pair where there is one key', async () => {
    await expect(store().get(lines, 'one')).rejects.toThrow()
    await expect(store().get(notes, ['one', 'two'])).rejects.toThrow()
  })

  it('says where a collection belongs that the store was not opened with', async () => {
    const row = note('one')
    const unlisted = { ...notes, name: 'unlisted' }
    await expect(store().commit({ insert: unlisted, row })).rejects.toThrow('add it to lib/collections.ts')
  })

  it('keeps equal keys of two owners apart', async () => {
    await store().commit({ insert: lines, row: line('one', 'same') })
    expect((await store().commit({ insert: lines, row: line('two', 'same') })).applied).toBe(true)
    await store().commit({ remove: lines, key: ['one', 'same'] })
    expect(await store().get(lines, ['two', 'same'])).toEqual(line('two', 'same'))
  })

  it('refuses to write one row twice', async () => {
    const twice = store().commit({ insert: notes, row: note('twice') }, [
      { update: notes, key: 'twice', set: { title: 'again' } },
    ])
    await expect(twice).rejects.toThrow(TypeError)
    expect(await store().get(notes, 'twice')).toBeUndefined()
  })

  describe('all or none', () => {
    it.each([
      ['an insert of a row that is there', { insert: notes, row: note('busy') }],
      [
        'a change whose condition fails',
        { update: notes, key: 'busy', when: { state: 'open' }, set: { title: 't' } },
      ],
      ['a change of a row that is not there', { update: notes, key: 'nobody', set: { title: 't' } }],
      ['a removal of a row that is not there', { remove: notes, key: 'nobody' }],
    ])('writes nothing for %s, and says which it was', async (what, write) => {
      await store().commit({ insert: notes, row: note('busy', { state: 'shut' }) })
      const head = { insert: notes, row: note(`for ${what}`) }
      const beside = { insert: lines, row: line(what, '1') }
      expect(await store().commit(head, [beside, write])).toMatchObject({ applied: false, refused: 2 })
      expect(await store().get(notes, `for ${what}`)).toBeUndefined()
      expect(await store().get(lines, [what, '1'])).toBeUndefined()
      expect(await store().get(notes, 'busy')).toEqual(note('busy', { state: 'shut' }))
    })

    it('writes nothing when a row cannot be written', async () => {
      const poison: Record<string, unknown> = {}
      poison.self = poison
      const refused = store().commit({ insert: notes, row: note('whole') }, [
        { insert: lines, row: line('whole', '1') },
        { insert: notes, row: note('poison', { metadata: poison }) },
      ])
      const beside = store().commit({ insert: notes, row: note('beside') })
      await expect(refused).rejects.toThrow(TypeError)
      expect((await beside).applied).toBe(true)
      expect(await store().get(notes, 'whole')).toBeUndefined()
      expect(await store().get(lines, ['whole', '1'])).toBeUndefined()
    })

    it('keeps a sum over two rows while 20 commits at once move parts of it', async () => {
      const rank = async (id: string) => (await store().get(notes, id))?.rank
      await store().commit({ insert: notes, row: note('from', { rank: 20 }) })
      await store().commit({ insert: notes, row: note('to', { rank: 0 }) })
      const moved = await Promise.all(
        Array.from({ length: 20 }, () =>
          store().commit({ update: notes, key: 'from', add: { rank: -1 } }, [
            { update: notes, key: 'to', add: { rank: 1 } },
          ]),
        ),
      )
      expect(moved.every(({ applied }) => applied)).toBe(true)
      expect([await rank('from'), await rank('to')]).toEqual([0, 20])
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
