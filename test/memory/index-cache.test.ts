import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { memoryState } from '../../lib/memory/rows.ts'
import type { Store } from '../../lib/ports/store.ts'
import { createWorld, textsFor } from './world.ts'

/** A storage that counts how often memory is read whole, and holds back answers about its state. */
const gatedStore = (store: Store) => {
  let pages = 0
  let gate: { of: 'get' | 'commit'; open: Promise<void> } | undefined
  const heldBack = async <T>(of: 'get' | 'commit', name: string | undefined, answer: Promise<T>) => {
    const mine = name === 'memoryState' && gate?.of === of ? gate : undefined
    const given = await answer
    await mine?.open
    return given
  }
  const gated = {
    ...store,
    get: (rows: { name: string }, ...given: []) =>
      heldBack('get', rows.name, store.get(rows as never, ...(given as unknown as [never]))),
    commit: (head: { update?: { name: string }; set?: object }, ...given: []) =>
      heldBack(
        'commit',
        head.set && 'version' in head.set ? head.update?.name : undefined,
        store.commit(head as never, ...given),
      ),
    page: (rows: { name: string }, ...given: []) => {
      if (rows.name === 'memoryFiles') pages += 1
      return store.page(rows as never, ...(given as unknown as [never]))
    },
  } as unknown as Store
  return {
    store: gated,
    pages: () => pages,
    /** Holds back what comes next; what it returns lets it go. */
    close: (of: 'get' | 'commit') => {
      const { promise: open, resolve } = Promise.withResolvers<void>()
      gate = { of, open }
      return { letGo: resolve, holdNoMore: () => (gate = undefined) }
    },
  }
}

const started = async () => {
  const world = createWorld()
  const gated = gatedStore(world.store)
  world.place.write('a.md', '# Rollback one')
  const memory = world.process({ store: gated.store })
  await memory.sync()
  await textsFor(memory, 'rollback')
  world.place.write('b.md', '# Rollback two')
  return { world, gated, memory, before: gated.pages(), [Symbol.asyncDispose]: world[Symbol.asyncDispose] }
}

describe('memory that is searched while a sync ends', () => {
  it('is not read whole by a search that saw the version before', async () => {
    await using on = await started()
    const { letGo, holdNoMore } = on.gated.close('get')
    const search = textsFor(on.memory, 'rollback')
    holdNoMore()
    await on.memory.sync()
    letGo()
    expect(await search).toHaveLength(2)
    expect(await textsFor(on.memory, 'rollback')).toHaveLength(2)
    expect(on.gated.pages()).toBe(on.before)
  })

  it('is not read whole by a search that sees the version before the sync has it at hand', async () => {
    await using on = await started()
    const { letGo } = on.gated.close('commit')
    const sync = on.memory.sync()
    while ((await on.world.store.get(memoryState, 'memory'))?.version !== 2) await turn()
    const search = textsFor(on.memory, 'rollback')
    for (let n = 0; n < 50; n += 1) await turn()
    letGo()
    await sync
    expect(await search).toHaveLength(2)
    expect(on.gated.pages()).toBe(on.before)
  })
})
