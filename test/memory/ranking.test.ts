import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Embedding } from '../../lib/ports/embedding.ts'
import type { MemoryFile } from '../../lib/ports/memory-files.ts'
import { createWorld } from './world.ts'

const NOTES = {
  'execa/readme.md':
    '# Kill a process\n\nSend a signal to it.\n\n# forceKillAfterTimeout\n\nMilliseconds until SIGKILL.\n\n# FAQ\n\nWhat does it do? It does what you do.',
  'pino/help.md': '# Log rotation\n\nUse logrotate.\n\n# Levels\n\nLabels instead of numbers for the log.',
  'search/guide.md':
    '# Auto suggestions\n\nSuggest queries while typing.\n\n# Tokenization\n\nSplits a text.',
}
const ASKED = [
  ['what does forceKillAfterTimeout do', 'forceKillAfterTimeout'],
  ['how do I kill a process', 'Kill a process'],
  ['rotating logs', 'Log rotation'],
  ['FORCE_KILL_AFTER_TIMEOUT', 'forceKillAfterTimeout'],
  ['forcKillAfterTimeot', 'forceKillAfterTimeout'],
  ['search guide tokenizaton', 'Tokenization'],
  ['auto sugestion', 'Auto suggestions'],
] as const

/** `npm start` has memory for itself; functions share it, and read what another one has compiled. */
const MODES = [
  ['mini', false],
  ['pro', true],
] as const

describe.each(MODES)('the ranking in mode %s', (_mode, shared) => {
  const opened = async () => {
    const world = createWorld()
    for (const [path, text] of Object.entries(NOTES)) world.place.write(path, text)
    await world.process({ shared }).sync()
    return { world, memory: world.process({ shared }), [Symbol.asyncDispose]: world[Symbol.asyncDispose] }
  }

  it.each(ASKED)('has first for %j what is under %j', async (query, heading) => {
    await using on = await opened()
    const { method, chunks } = await on.memory.search({ query, maxResults: 6 })
    expect([method, chunks[0]?.heading]).toEqual(['lexical', heading])
    expect(chunks.every(({ foundBy }) => foundBy.join() === 'words')).toBe(true)
    expect(chunks.every(({ terms }) => terms.length > 0)).toBe(true)
  })

  it('is that of the texts as they are, whatever they were before', async () => {
    await using on = await opened()
    const order = async () => {
      const ids: string[][] = []
      for (const [query] of ASKED)
        ids.push((await on.memory.search({ query, maxResults: 6 })).chunks.map(({ id }) => id))
      return ids
    }
    const before = await order()
    on.world.place.write('pino/help.md', '# Kill a process\n\nforceKillAfterTimeout tokenization suggestions')
    await on.memory.sync()
    expect(await order()).not.toEqual(before)
    on.world.place.write('pino/help.md', NOTES['pino/help.md'])
    await on.memory.sync()
    expect(await order()).toEqual(before)
  })
})

type World = ReturnType<typeof createWorld>
const down: Embedding = {
  model: 'openai/m',
  embed: () => Promise.reject(new Problem('unavailable', 'provider_error', 'down')),
}
const BAD = [
  ['a file of 50 MB', ({ place }: World) => place.write('bad.md', 'too_large'), 'too_large'],
  [
    'bytes that are no text',
    ({ place }: World) => place.write('bad.md', Uint8Array.of(0, 255, 254)),
    'not_utf8',
  ],
  ['a file with bytes of zero', ({ place }: World) => place.write('bad.md', '# Zip\0\0'), 'binary'],
  [
    'a letter that is cut',
    ({ place }: World) => place.write('bad.md', Uint8Array.of(35, 32, 0xc3)),
    'not_utf8',
  ],
] as const

describe.each(MODES)('bad input in mode %s', (_mode, shared) => {
  it.each(BAD)('%s is reported, the rest is found', async (_what, write, reason) => {
    await using world = createWorld()
    world.place.write('good.md', '# Good\n\nA rollback.')
    write(world)
    const memory = world.process({ shared })
    expect(await memory.sync()).toMatchObject({ synced: 1, added: 1, skipped: [{ path: 'bad.md', reason }] })
    expect((await memory.search({ query: 'rollbacks', maxResults: 6 })).count).toBe(1)
  })

  it('a file that cannot be read stays what it was, and is read again when memory looks next', async () => {
    await using world = createWorld()
    world.place.write('closed.md', '# Closed\n\nA rollback.')
    let isClosed = false
    const read = async (path: string) => {
      if (isClosed) throw new Problem('unavailable', 'files_unavailable', 'closed')
      return world.place.files.read(path)
    }
    const memory = world.process({ shared, files: { ...world.place.files, read } })
    await memory.sync()
    isClosed = true
    world.place.write('closed.md', '# Open\n\nA release.')
    const skipped = [{ path: 'closed.md', reason: 'unreadable' }]
    expect(await memory.syncIfChanged()).toEqual({ synced: 1, added: 0, updated: 0, removed: 0, skipped })
    expect((await memory.search({ query: 'rollback', maxResults: 6 })).count).toBe(1)
    expect(await memory.excluded.list({ limit: 9 })).toMatchObject({ files: skipped, total: 1 })
    await memory.files.removeFile('closed.md')
    expect(await memory.excluded.list({ limit: 9 })).toMatchObject({ files: skipped, total: 1 })
    isClosed = false
    expect(await memory.syncIfChanged()).toMatchObject({ added: 1 })
    expect((await memory.excluded.list({ limit: 9 })).files).toEqual([])
  })

  it('what is in a folder that is closed stays what it was, until the folder can be read', async () => {
    await using world = createWorld()
    world.place.write('ops/closed.md', '# Closed\n\nA rollback.')
    let isClosed = false
    const folder: MemoryFile = { path: 'ops/', tag: 'unreadable', size: 0, unfit: 'unreadable' }
    const list = async () => (isClosed ? [folder] : world.place.files.list())
    const memory = world.process({ shared, files: { ...world.place.files, list } })
    await memory.sync()
    isClosed = true
    const skipped = [{ path: 'ops/', reason: 'unreadable' }]
    expect(await memory.syncIfChanged()).toEqual({ synced: 1, added: 0, updated: 0, removed: 0, skipped })
    expect((await memory.search({ query: 'rollback', maxResults: 6 })).count).toBe(1)
    isClosed = false
    world.place.remove('ops/closed.md')
    expect(await memory.syncIfChanged()).toMatchObject({ removed: 1 })
  })

  it('a medium that gives nothing is what fails, not each file', async () => {
    await using world = createWorld()
    for (let n = 0; n < 40; n += 1) world.place.write(`${n}.md`, `# ${n}`)
    const read = async () => {
      throw new Problem('unavailable', 'files_unavailable', 'gone')
    }
    const memory = world.process({ shared, files: { ...world.place.files, read } })
    await expect(memory.sync()).rejects.toMatchObject({ code: 'files_unavailable' })
  })

  it('a file that vanishes while it is synced is none, the rest is found', async () => {
    await using world = createWorld()
    world.place.write('good.md', '# Good\n\nA rollback.')
    world.place.write('gone.md', '# Gone')
    const read = async (path: string) => (path === 'gone.md' ? undefined : world.place.files.read(path))
    const memory = world.process({ shared, files: { ...world.place.files, read } })
    expect(await memory.sync()).toEqual({ synced: 1, added: 1, updated: 0, removed: 0 })
    expect((await memory.search({ query: 'rollback', maxResults: 6 })).count).toBe(1)
  })

  it('a model that is down is named by the sync, and a search goes by words and says so', async () => {
    await using world = createWorld()
    world.place.write('good.md', '# Good\n\nA rollback.')
    const memory = world.process({ shared, embedding: down })
    expect(await memory.sync()).toMatchObject({ added: 1, embedding: { missing: 1, reason: 'down' } })
    expect(await memory.stats()).toMatchObject({ withoutVector: 1 })
    expect(await memory.search({ query: 'rollback', maxResults: 6 })).toMatchObject({
      method: 'lexical',
      count: 1,
    })
  })
})
