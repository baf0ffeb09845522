import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import { createLexical } from '../../lib/memory/lexical.ts'
import { createWorld } from './world.ts'

const MANY = 600
/** That of `lib/memory/copies.ts`. */
const FORM = 2
const packed = (value: unknown) => gzipSync(JSON.stringify(value)).toString('base64')
/** An index that has other words under an id. */
const saved = (id: string) => createLexical([{ id, title: 'Other', place: '', text: 'other' }]).save()
const idsFor = async ({ search }: ReturnType<ReturnType<typeof createWorld>['process']>, query: string) =>
  (await search({ query, maxResults: 9 })).chunks.map(({ id, score }) => `${id} ${score}`)

/** A memory that is large enough for its index to be stored. */
const started = async (shared: boolean) => {
  const world = createWorld()
  for (let n = 0; n < MANY; n += 1)
    world.place.write(`n${n}.md`, `# Note ${n}\n\nOn subject${n} and readFile.`)
  const read: string[] = []
  const copies = {
    ...world.copies,
    get: async (key: string) => {
      read.push(key)
      return world.copies.get(key)
    },
  }
  const process = () => world.process({ shared, copies })
  await process().sync()
  return { ...world, process, read, [Symbol.asyncDispose]: world[Symbol.asyncDispose] }
}

describe.each([
  ['mini', false],
  ['pro', true],
] as const)('the stored index in mode %s', (_mode, shared) => {
  it('is opened by the next process, and finds the same', async () => {
    await using on = await started(shared)
    expect(on.read).not.toContain('memory-index/1/index')
    const found = await idsFor(on.process(), 'subject7 read_file')
    expect(on.read).toContain('memory-index/1/index/0')
    for (const { key } of (await on.copies.list('memory-index/1/index', { limit: 9 })).keys.map((key) => ({
      key,
    })))
      await on.copies.remove(key)
    expect(found).toHaveLength(9)
    expect(await idsFor(on.process(), 'subject7 read_file')).toEqual(found)
  })

  it('of an older version is brought up to the contents of now', async () => {
    await using on = await started(shared)
    on.place.write('n7.md', '# Note 7\n\nOn something else.')
    on.place.remove('n8.md')
    on.place.write('new.md', '# New\n\nOn subjectnew.')
    await on.process().sync()
    const memory = on.process()
    for (const [query, count] of [
      ['subject7', 0],
      ['subject8', 0],
      ['subject9', 1],
      ['subjectnew', 1],
    ] as const) {
      const { chunks } = await memory.search({ query: `"${query}"`, maxResults: 100, minScore: 0.5 })
      expect([
        query,
        chunks.filter(({ text }) => text.includes(`${query} `) || text.includes(`${query}.`)).length,
      ]).toEqual([query, count])
    }
    expect(on.read).toContain('memory-index/1/index/0')
    expect((await on.copies.list('memory-index/2/index', { limit: 9 })).keys).toEqual([])
  })

  it('takes the place of the one before when enough has changed', async () => {
    await using on = await started(shared)
    for (let n = 0; n < MANY; n += 1) on.place.write(`n${n}.md`, `# Note ${n}\n\nOn theme${n}.`)
    await on.process().sync()
    const { keys } = await on.copies.list('memory-index/', { limit: 99 })
    expect(keys.filter((key) => key.includes('index/0') && key.includes('/index'))).toEqual([
      'memory-index/2/index/0',
    ])
    expect((await on.process().search({ query: 'theme7', maxResults: 1 })).chunks[0]?.path).toBe('n7.md')
  })

  it.each([
    ['is cut', () => 'H4sI'],
    ['is empty', () => ''],
    ['is none', () => packed({ form: FORM, value: { index: 5 } })],
    ['is of another form', (id: string) => packed({ form: FORM - 1, value: saved(id) })],
  ])('that %s is made anew', async (_what, text) => {
    await using on = await started(shared)
    const { id = '' } = (await on.process().files.chunks('n7.md')).chunks[0] ?? {}
    await on.copies.put('memory-index/1/index/0', text(id))
    const { chunks } = await on.process().search({ query: 'subject7', maxResults: 1 })
    expect(chunks[0]?.path).toBe('n7.md')
  })

  it('has nothing of what is gone, which would take the place of what is there', async () => {
    await using on = await started(shared)
    for (let n = 0; n < 20; n += 1) on.place.write(`z${n}.md`, '# Zebra\n\nZebra zebra.')
    on.place.write('long.md', `# Zoo\n\n${'Of many animals. '.repeat(20)} A zebra.`)
    for (let n = 0; n < MANY; n += 1) on.place.write(`n${n}.md`, `# Note ${n}\n\nOn theme${n}.`)
    await on.process().sync()
    for (let n = 0; n < 20; n += 1) on.place.remove(`z${n}.md`)
    await on.process().sync()
    expect(on.read).not.toContain('memory-index/2/index/0')
    const { chunks } = await on.process().search({ query: 'zebra', maxResults: 1 })
    expect(on.read).toContain('memory-index/2/index/0')
    expect(chunks.map(({ path }) => path)).toEqual(['long.md'])
  })
})

describe('the form of copies', () => {
  it('is another one when texts become other words', () => {
    const lexical = createLexical([
      {
        id: 'a',
        title: 'readFileSync waits',
        place: 'docs/a.md Guide',
        text: 'Straße 東京都 HTTPServer snake_case runs',
      },
    ])
    // Where this fails, raise FORM in lib/memory/copies.ts, so that no process opens an index of other words.
    expect(hash('sha256', JSON.stringify(lexical.save()), 'hex').slice(0, 16)).toBe('166a75d9bdd590bb')
  })
})
