import { describe, expect, it } from '@jest/globals'
import { ADMIN, createWorld, failingAfter, storedPaths, textsFor } from './world.ts'

const sync = { synced: 0, added: 0, updated: 0, removed: 0 }
const MINUTE_MS = 60_000

describe('a sync', () => {
  it('counts what came, changed and went, and reads nothing else', async () => {
    await using world = createWorld()
    const { place, process } = world
    const memory = process()
    for (const name of ['a.md', 'b.md', 'c.md']) place.write(name, `# ${name}`)
    expect(await memory.sync()).toEqual({ ...sync, synced: 3, added: 3 })
    place.read.length = 0
    expect(await memory.sync()).toEqual({ ...sync, synced: 3 })
    expect(place.read).toEqual([])
    place.write('a.md', '# changed')
    place.remove('b.md')
    place.write('d.md', '# d')
    expect(await memory.sync()).toEqual({ synced: 3, added: 1, updated: 1, removed: 1 })
    expect(place.read).toEqual(['a.md', 'd.md'])
    expect(await storedPaths(memory)).toEqual(['a.md', 'c.md', 'd.md'])
    expect(await textsFor(memory, 'changed')).toEqual(['# changed'])
    expect(await textsFor(memory, 'b.md')).not.toContain('# b.md')
  })

  it('names the files that it cannot take in, and forgets what it had of them', async () => {
    await using world = createWorld()
    const { place, process } = world
    const memory = process()
    place.write('latin.md', 'was UTF-8')
    place.write('large.md', 'was small')
    await memory.sync()
    place.write('latin.md', Uint8Array.of(0x63, 0x61, 0x66, 0xe9))
    place.write('large.md', 'too_large')
    expect(await memory.sync()).toEqual({
      ...sync,
      removed: 2,
      skipped: [
        { path: 'large.md', reason: 'too_large' },
        { path: 'latin.md', reason: 'not_utf8' },
      ],
    })
    expect(await storedPaths(memory)).toEqual([])
  })

  it('names the files that it does not look at, for their names or for their number', async () => {
    await using world = createWorld()
    const { place, process } = world
    const unfit = [
      { path: 'a\nb.md', reason: 'bad_name' as const },
      { path: `${'long/'.repeat(200)}a.md`, reason: 'path_too_long' as const },
    ]
    const list = async () => [
      ...unfit.map(({ path, reason }) => ({ path, tag: '', size: 0, unfit: reason })),
      ...(await place.files.list()),
    ]
    for (let n = 0; n < 20_001 - unfit.length; n++)
      place.write(`n${String(n).padStart(5, '0')}.md`, 'too_large')
    const { skipped = [], ...counts } = await process({ files: { ...place.files, list } }).sync()
    expect(counts).toEqual(sync)
    expect(skipped).toHaveLength(100)
    expect(skipped.slice(0, 4)).toEqual([
      { path: 'n19998.md', reason: 'too_many' },
      ...unfit,
      { path: 'n00000.md', reason: 'too_large' },
    ])
    expect(place.read).not.toContain('a\nb.md')
  })

  it('takes a mark at the beginning of a file for no part of its text', async () => {
    await using world = createWorld()
    world.place.write('a.md', '\uFEFF# Title\n\ntext')
    const memory = world.process()
    await memory.sync()
    expect((await memory.files.chunks('a.md')).chunks[0]).toMatchObject({ heading: 'Title', startLine: 1 })
  })

  it('asked for many times at once does it once', async () => {
    await using world = createWorld()
    for (let n = 0; n < 20; n++) world.place.write(`${n}.md`, `# ${n}`)
    const memory = world.process()
    const results = await Promise.all(Array.from({ length: 5 }, () => memory.sync()))
    expect(results.map(({ added }) => added)).toEqual([20, 0, 0, 0, 0])
    expect(world.place.read).toHaveLength(20)
  })

  it('is done only where the listing is another one, by repeated checks', async () => {
    await using world = createWorld()
    const memory = world.process()
    expect(await memory.syncIfChanged()).toBeUndefined()
    world.place.write('a.md', '# a')
    expect(await memory.syncIfChanged()).toMatchObject({ added: 1 })
    expect(await memory.syncIfChanged()).toBeUndefined()
    world.place.remove('a.md')
    expect(await memory.syncIfChanged()).toMatchObject({ removed: 1 })
  })

  it('that is ended stores what it has, and the next one goes on', async () => {
    await using world = createWorld()
    for (let n = 0; n < 12; n++) world.place.write(`${n}.md`, `# ${n}`)
    const memory = world.process()
    const files = {
      ...world.place.files,
      read: async (path: string) => {
        if (path === '3.md') ending.endSync()
        return world.place.files.read(path)
      },
    }
    const ending = world.process({ files })
    await expect(ending.sync()).rejects.toMatchObject({ kind: 'unavailable', code: 'memory_sync_unfinished' })
    const { synced, added } = await memory.sync()
    expect(synced).toBe(12)
    expect(added).toBeGreaterThan(0)
    expect(added < 12).toBe(true)
  })
})

describe('what takes longer than a function has', () => {
  /** A process whose every write takes two seconds. */
  const slow = ({ process, store, clock }: ReturnType<typeof createWorld>) => {
    const commit: typeof store.commit = (...given) => {
      clock.advance(2_000)
      return store.commit(...given)
    }
    return process({ shared: true, store: { ...store, commit } })
  }
  const filled = async (world: ReturnType<typeof createWorld>) => {
    for (let n = 10; n < 50; n++) world.place.write(`${n}.md`, `# ${n}`)
    const memory = world.process({ shared: true })
    await memory.sync()
    return memory
  }
  const unfinished = { kind: 'unavailable', code: 'memory_sync_unfinished' }

  it('is ended, and gone on with: files that are gone', async () => {
    await using world = createWorld()
    const memory = await filled(world)
    for (let n = 10; n < 50; n++) world.place.remove(`${n}.md`)
    await expect(slow(world).sync()).rejects.toMatchObject(unfinished)
    const left = (await storedPaths(memory)).length
    expect([left > 0, left < 40]).toEqual([true, true])
    expect(await memory.sync()).toMatchObject({ synced: 0, removed: left })
  })

  it('is ended, and gone on with: taking everything out', async () => {
    await using world = createWorld()
    const memory = await filled(world)
    await expect(slow(world).clear(ADMIN)).rejects.toMatchObject(unfinished)
    const left = (await storedPaths(memory)).length
    expect([left > 0, left < 40]).toEqual([true, true])
    await memory.clear(ADMIN)
    expect(await storedPaths(memory)).toEqual([])
  })
})

describe('what is deleted by hand', () => {
  it.each(['chunk', 'file', 'all'] as const)('comes back only when its file changes: %s', async (what) => {
    await using world = createWorld()
    const { place, process } = world
    const memory = process()
    place.write('a.md', '# One\n\nfirst\n\n# Two\n\nsecond')
    await memory.sync()
    const [chunk] = (await memory.files.chunks('a.md')).chunks
    if (what === 'chunk') await memory.files.removeChunk(chunk?.id ?? '')
    if (what === 'file') await memory.files.removeFile('a.md')
    if (what === 'all') await memory.clear(ADMIN)
    const gone = async (one = memory) => (await textsFor(one, 'first')).length === 0
    expect(await gone()).toBe(true)
    place.touch('a.md')
    expect(await memory.sync()).toMatchObject({ added: 0, updated: 0 })
    expect(await gone()).toBe(true)
    expect(await gone(process())).toBe(true)
    place.write('a.md', '# One\n\nfirst\n\n# Two\n\nsecond, changed')
    expect(await memory.sync()).toMatchObject(what === 'chunk' ? { updated: 1 } : { added: 1 })
    expect(await gone()).toBe(false)
  })

  it('is gone for later requests', async () => {
    await using world = createWorld()
    const memory = world.process()
    world.place.write('a.md', '# a')
    await memory.sync()
    const id = (await memory.files.chunks('a.md')).chunks[0]?.id ?? ''
    await memory.files.removeChunk(id)
    await expect(memory.files.removeChunk(id)).rejects.toMatchObject({ code: 'memory_chunk_not_found' })
    await memory.files.removeFile('a.md')
    await expect(memory.files.removeFile('a.md')).rejects.toMatchObject({ code: 'memory_file_not_found' })
    await expect(memory.files.chunks('a.md')).rejects.toMatchObject({ kind: 'missing' })
    expect(await memory.stats()).toMatchObject({ files: 0, chunks: 0 })
  })

  it('as a whole is put on record', async () => {
    await using world = createWorld()
    await world.process().clear(ADMIN)
    expect(world.audited).toEqual(['user_admin memory.clear'])
  })
})

describe('a process that dies in a sync', () => {
  it.each([0, 1, 5, 9])('after %d files leaves what the next one finishes', async (writes) => {
    await using world = createWorld()
    for (let n = 0; n < 10; n++) world.place.write(`${n}.md`, `# ${n}`)
    const dying = world.process({ store: failingAfter(world.store, writes) })
    await expect(dying.sync()).rejects.toThrow('the power is gone')
    const memory = world.process()
    const { added, ...rest } = await memory.sync()
    expect(rest).toEqual({ synced: 10, updated: 0, removed: 0 })
    expect(added + writes).toBe(10)
    expect(await memory.stats()).toMatchObject({ files: 10, chunks: 10 })
  })

  it('leaves nothing of a file that is gone when the next one looks', async () => {
    await using world = createWorld()
    for (let n = 0; n < 4; n++) world.place.write(`${n}.md`, `# ${n}`)
    await expect(world.process({ store: failingAfter(world.store, 3) }).sync()).rejects.toThrow()
    world.place.remove('1.md')
    await world.process().sync()
    expect(await storedPaths(world.process())).toEqual(['0.md', '2.md', '3.md'])
  })

  it('holds up others that share the memory for as long as it could still be alive', async () => {
    await using world = createWorld()
    for (let n = 0; n < 4; n++) world.place.write(`${n}.md`, `# ${n}`)
    const dying = world.process({ shared: true, store: failingAfter(world.store, 2) })
    await expect(dying.sync()).rejects.toThrow('the power is gone')
    const memory = world.process({ shared: true })
    const early = memory.sync()
    const refused = expect(early).rejects.toMatchObject({ kind: 'unavailable', code: 'memory_busy' })
    for (let n = 0; n < 100; n++) {
      await new Promise((resolve) => setImmediate(resolve))
      world.clock.advance(250)
    }
    await refused
    world.clock.advance(MINUTE_MS)
    expect(await memory.syncIfChanged()).toMatchObject({ synced: 4, added: 2 })
  })
})
