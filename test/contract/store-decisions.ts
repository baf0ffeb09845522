import { expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { lines, note, notes } from './store-samples.ts'

/** Writes that are decided before they are durable: whoever writes next stands on them. */
export const decisions = (store: () => Store) => {
  it('tells what was decided, and when it is durable', async () => {
    const { applied, row, durable } = await store().decide({ insert: notes, row: note('decided') })
    expect({ applied, row }).toMatchObject({ applied: true, row: { id: 'decided' } })
    await durable
    expect(await store().get(notes, 'decided')).toEqual(note('decided'))
  })
  it('refuses at once what does not meet its condition', async () => {
    await store().commit({ insert: notes, row: note('refused', { state: 'shut' }) })
    const change = { update: notes, key: 'refused', when: { state: 'open' }, set: { title: 't' } }
    const { applied, row, durable } = await store().decide(change)
    await durable
    expect({ applied, state: row?.state }).toEqual({ applied: false, state: 'shut' })
  })
  it('lets the writes after it stand on a decision that is not durable yet', async () => {
    await store().commit({ insert: notes, row: note('chain', { state: 'a' }) })
    const step = (from: string, to: string) =>
      store().decide(
        { update: notes, key: 'chain', when: { state: from }, set: { state: to, body: `in ${to}` } },
        [],
        true,
      )
    const first = await step('a', 'b')
    const second = await step('b', 'c')
    const late = await step('a', 'z')
    expect([first.applied, second.applied, late.applied, second.row?.body]).toEqual([
      true,
      true,
      false,
      'in c',
    ])
    await Promise.all([first, second, late].map(({ durable }) => durable))
    expect(await store().get(notes, 'chain', true)).toMatchObject({ state: 'c', body: 'in c' })
  })
  it('is durable at the latest with the next commit', async () => {
    const { durable } = await store().decide({ insert: notes, row: note('earlier') })
    await store().commit({ insert: notes, row: note('later') })
    expect(await store().get(notes, 'earlier')).toEqual(note('earlier'))
    await durable
  })
  it('finds a pair that was only just added, changes and removes it', async () => {
    const line = { noteId: 'fresh', id: 'zzz', at: 1, text: 'first' }
    const key = ['fresh', 'zzz'] as const
    const outcomes = await Promise.all([
      store().commit({ insert: lines, row: line }),
      store().commit({ insert: lines, row: { ...line, text: 'again' } }),
      store().commit({ update: lines, key, when: { text: 'first' }, set: { text: 'second' } }),
      store().commit({ remove: lines, key, when: { text: 'second' } }),
      store().commit({ insert: lines, row: { ...line, text: 'anew' } }),
    ])
    expect(outcomes.map(({ applied }) => applied)).toEqual([true, false, true, true, true])
    expect((await store().get(lines, key))?.text).toBe('anew')
  })
}
