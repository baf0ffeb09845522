import { describe, expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { createWorld, passing, storedPaths, textsFor } from './world.ts'

/** A storage that counts what is read of the rows of files. */
const counting = (store: Store) => {
  const reads = { state: 0, rows: 0 }
  const counted: Store = {
    ...store,
    get: (of, key, detail) => {
      if (of.name === 'memoryState') reads.state += 1
      return store.get(of, key, detail)
    },
    page: (of, query) => {
      if (of.name === 'memoryFiles') reads.rows += 1
      return store.page(of, query)
    },
  }
  return { reads, counted }
}

describe('memory that several processes share', () => {
  it('is the same to all of them after a change by any', async () => {
    await using world = createWorld()
    const [one, two] = [world.process({ shared: true }), world.process({ shared: true })]
    world.place.write('a.md', '# Alpha')
    world.place.write('b.md', '# Beta')
    await one.sync()
    expect(await textsFor(two, 'alpha')).toEqual(['# Alpha'])
    world.place.write('a.md', '# Gamma')
    await two.sync()
    expect(await textsFor(one, 'alpha')).toEqual([])
    expect(await textsFor(one, 'gamma')).toEqual(['# Gamma'])
    await one.files.removeFile('b.md')
    expect(await storedPaths(two)).toEqual(['a.md'])
    expect(await textsFor(two, 'beta')).toEqual([])
    expect(await two.stats()).toMatchObject({ files: 1, chunks: 1 })
  })

  it('costs one small read where nothing has changed, and one copy where something has', async () => {
    await using world = createWorld()
    for (let n = 0; n < 30; n++) world.place.write(`${n}.md`, `# ${n}`)
    await world.process({ shared: true }).sync()
    const { reads, counted } = counting(world.store)
    const reader = world.process({ shared: true, store: counted })
    for (let n = 0; n < 3; n++) await textsFor(reader, '7')
    expect(reads).toEqual({ state: 3, rows: 0 })
  })

  it('is read from its rows where the copy is missing', async () => {
    await using world = createWorld()
    world.place.write('a.md', '# Alpha')
    await world.process({ shared: true }).sync()
    for (const key of (await world.copies.list('', { limit: 9 })).keys) await world.copies.remove(key)
    expect(await textsFor(world.process({ shared: true }), 'alpha')).toEqual(['# Alpha'])
  })

  it('keeps the copies of the last two versions only', async () => {
    await using world = createWorld()
    const memory = world.process({ shared: true })
    for (let n = 0; n < 5; n++) {
      world.place.write('a.md', `# ${n}`)
      await memory.sync()
    }
    await memory.sync()
    const { keys } = await world.copies.list('', { limit: 99 })
    expect(keys).toEqual(
      [4, 5].flatMap((version) => ['', '/0'].map((part) => `memory-index/${version}/contents${part}`)),
    )
  })

  it('is synced once by two that begin at the same time', async () => {
    await using world = createWorld()
    for (let n = 0; n < 10; n++) world.place.write(`${n}.md`, `# ${n}`)
    const both = [world.process({ shared: true }), world.process({ shared: true })]
    const results = Promise.all(both.map((memory) => memory.sync()))
    // The second one waits for the first by the clock.
    const added = (await passing(world.clock, results)).map((result) => result.added)
    expect(added.sort((a, b) => a - b)).toEqual([0, 10])
    expect(world.place.read).toHaveLength(10)
    for (const memory of both) expect(await memory.stats()).toMatchObject({ files: 10, chunks: 10 })
  })
})
