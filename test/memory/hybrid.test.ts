import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { FileEntry } from '../../lib/memory/contents.ts'
import { fused } from '../../lib/memory/search.ts'
import { encodeVectors, lackingIn } from '../../lib/memory/vectors.ts'
import type { Embedding } from '../../lib/ports/embedding.ts'
import { createWorld, passing } from './world.ts'

/** A model that knows two meanings: of words for cars, and of everything else. */
const createModel = (model = 'openai/m', size = 2) => {
  const asked: string[] = []
  const calls: number[] = []
  let isDown = false
  let callsLeft = Number.POSITIVE_INFINITY
  const embedding: Embedding = {
    model,
    embed: async (texts) => {
      if (isDown) throw new Problem('unavailable', 'provider_error', 'down')
      if (callsLeft-- <= 0) throw new Error('the power is gone')
      asked.push(...texts)
      calls.push(texts.length)
      return texts.map((text) => {
        const vector = new Float32Array(size)
        vector[/car|vehicle|automobile/i.test(text) ? 0 : 1] = 3
        return vector
      })
    },
  }
  const down = (is: boolean) => {
    isDown = is
  }
  const endAfter = (calls: number) => {
    callsLeft = calls
  }
  return { embedding, asked, calls, down, endAfter }
}

const FILES = {
  'a.md': '# Garage\n\nOur vehicle is red.',
  'b.md': '# Kitchen\n\nThe oven is hot.\n\n# Bath\n\nBlue tiles.',
}
const started = async () => {
  const world = createWorld()
  for (const [path, text] of Object.entries(FILES)) world.place.write(path, text)
  return { world, model: createModel(), [Symbol.asyncDispose]: world[Symbol.asyncDispose] }
}

describe('memory with a model for meanings', () => {
  it('finds what has none of the words', async () => {
    await using on = await started()
    const memory = on.world.process({ embedding: on.model.embedding })
    await memory.sync()
    const { method, chunks } = await memory.search({ query: 'automobile', maxResults: 1 })
    expect([method, chunks.map(({ path }) => path)]).toEqual(['hybrid', ['a.md']])
    expect(await memory.stats()).toMatchObject({ method: 'hybrid', embeddingModel: 'openai/m' })
    const both = await memory.search({ query: 'red vehicle', maxResults: 1 })
    expect(both.chunks[0]?.score).toBe(1)
  })

  it('asks for vectors of what is new only, also in the next process', async () => {
    await using on = await started()
    const { embedding, asked } = on.model
    await on.world.process({ embedding }).sync()
    expect(asked).toHaveLength(3)
    on.world.place.write('c.md', '# New')
    const memory = on.world.process({ embedding })
    await memory.sync()
    expect(asked).toHaveLength(4)
    expect((await memory.search({ query: 'automobile', maxResults: 1 })).chunks[0]?.path).toBe('a.md')
  })

  it('that is down: a sync says so and keeps what can be found by words, a search goes by words', async () => {
    await using on = await started()
    const memory = on.world.process({ embedding: on.model.embedding })
    on.model.down(true)
    expect(await memory.sync()).toMatchObject({ added: 2, embedding: { missing: 3, reason: 'down' } })
    const found = await memory.search({ query: 'vehicle', maxResults: 6 })
    expect([found.method, found.count]).toEqual(['lexical', 1])
    on.model.down(false)
    expect(await memory.syncIfChanged()).toMatchObject({ synced: 2, added: 0 })
    expect((await memory.search({ query: 'automobile', maxResults: 1 })).chunks[0]?.path).toBe('a.md')
  })

  it('that does not answer within ten seconds leaves a search to words', async () => {
    await using on = await started()
    const { embedding } = on.model
    await on.world.process({ embedding }).sync()
    const embed: Embedding['embed'] = (_texts, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const memory = on.world.process({ embedding: { ...embedding, embed } })
    const begun = on.world.clock.monotonic()
    const search = memory.search({ query: 'vehicle', maxResults: 6 })
    const { method, count } = await passing(on.world.clock, search)
    expect([method, count]).toEqual(['lexical', 1])
    expect(Math.floor((on.world.clock.monotonic() - begun) / 2_000)).toBe(5)
  })

  it('that did not answer in time is asked again half a minute later, and nothing waits for it before', async () => {
    await using on = await started()
    const { embedding } = on.model
    await on.world.process({ embedding }).sync()
    let isSlow = true
    let asked = 0
    const embed: Embedding['embed'] = async (texts, signal) => {
      asked += 1
      if (!isSlow) return embedding.embed(texts, signal)
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const memory = on.world.process({ embedding: { ...embedding, embed } })
    const searchMethod = async () => (await memory.search({ query: 'vehicle', maxResults: 6 })).method
    expect(await passing(on.world.clock, searchMethod())).toBe('lexical')
    isSlow = false
    expect([await searchMethod(), asked]).toEqual(['lexical', 1])
    on.world.clock.advance(30_000)
    expect([await searchMethod(), asked]).toEqual(['hybrid', 2])
  })

  it.each([false, true])(
    'that is slow lets what is new be found by words meanwhile (shared: %s)',
    async (shared) => {
      await using on = await started()
      const answered = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      const embed: Embedding['embed'] = async (texts, signal) => {
        begun.resolve()
        await answered.promise
        return on.model.embedding.embed(texts, signal)
      }
      const sync = on.world.process({ shared, embedding: { ...on.model.embedding, embed } }).sync()
      await begun.promise
      const reader = on.world.process({ shared })
      expect((await reader.search({ query: 'vehicle', maxResults: 6 })).count).toBe(1)
      answered.resolve()
      expect(await sync).toMatchObject({ added: 2 })
      const memory = on.world.process({ shared, embedding: on.model.embedding })
      expect((await memory.search({ query: 'automobile', maxResults: 1 })).chunks[0]?.path).toBe('a.md')
      expect(await memory.syncIfChanged()).toBeUndefined()
    },
  )

  it('that went down after it had answered is asked again by the next check, though no file has changed', async () => {
    await using on = await started()
    const memory = on.world.process({ embedding: on.model.embedding })
    await memory.sync()
    on.model.down(true)
    on.world.place.write('c.md', '# Fleet\n\nOne car.')
    expect(await memory.syncIfChanged()).toMatchObject({ added: 1, embedding: { missing: 1 } })
    on.model.down(false)
    await memory.syncIfChanged()
    expect(await memory.stats()).not.toHaveProperty('withoutVector')
    expect(await memory.syncIfChanged()).toBeUndefined()
  })

  it('forgets vectors with their chunks, and those of another model', async () => {
    await using on = await started()
    const memory = on.world.process({ embedding: on.model.embedding })
    await memory.sync()
    const [first] = (await memory.files.chunks('b.md')).chunks
    await memory.files.removeChunk(first?.id ?? '')
    for (const each of [memory, on.world.process({ embedding: on.model.embedding })]) {
      const { chunks } = await each.search({ query: 'something', maxResults: 9 })
      expect(chunks.map(({ heading }) => heading)).toEqual(['Bath'])
    }
    const other = createModel('openai/other')
    const next = on.world.process({ embedding: other.embedding })
    expect((await next.search({ query: 'automobile', maxResults: 9 })).count).toBe(0)
    expect(await next.syncIfChanged()).toMatchObject({ updated: 0 })
    expect(other.asked).toEqual([
      'automobile',
      expect.stringContaining('Garage'),
      expect.stringContaining('Bath'),
    ])
  })
})

describe('vectors of chunks', () => {
  it('are asked for in calls of several files, and again only for chunks that were edited', async () => {
    await using on = await started()
    const { embedding, asked, calls } = on.model
    const memory = on.world.process({ embedding })
    await memory.sync()
    expect(calls).toEqual([3])
    on.world.place.write('b.md', '# Kitchen\n\nThe oven is hot.\n\n# Bath\n\nRed tiles.')
    await memory.sync()
    expect(asked.slice(3)).toEqual([expect.stringContaining('Red tiles')])
    const { chunks } = await memory.search({ query: 'something', maxResults: 9 })
    expect(chunks.map(({ heading }) => heading).sort()).toEqual(['Bath', 'Kitchen'])
  })

  it('that a function has no time left for are asked for by the next call', async () => {
    await using on = await started()
    const slow: Embedding = {
      ...on.model.embedding,
      embed: async (texts, signal) => {
        on.world.clock.advance(4_000)
        signal.throwIfAborted()
        return on.model.embedding.embed(texts, signal)
      },
    }
    for (let n = 0; n < 600; n += 1) on.world.place.write(`n${n}.md`, `# Note ${n}`)
    const memory = on.world.process({ shared: true, embedding: slow })
    await expect(memory.sync()).rejects.toMatchObject({ code: 'memory_sync_unfinished' })
    const before = on.model.asked.length
    expect([before > 0, before < 603]).toEqual([true, true])
    for (let n = 0; n < 9; n += 1) await memory.sync().catch(() => undefined)
    // Each text once; a sync that is asked for asks for the size of the vectors as well.
    expect(new Set(on.model.asked).size).toBe(603)
    expect(await memory.stats()).not.toHaveProperty('withoutVector')
  })

  it('that a dead process has stored are not asked for again', async () => {
    await using on = await started()
    for (let n = 0; n < 200; n += 1) on.world.place.write(`n${n}.md`, `# Note ${n}`)
    on.model.endAfter(2)
    await expect(on.world.process({ embedding: on.model.embedding }).sync()).rejects.toThrow('power')
    const next = createModel()
    await on.world.process({ embedding: next.embedding }).sync()
    expect(on.model.asked.filter((text) => next.asked.includes(text))).toEqual([])
    expect(on.model.asked.length + next.asked.length).toBe(203)
  })

  it('are those of a text, whatever its file is called', async () => {
    await using on = await started()
    const { embedding, asked } = on.model
    const memory = on.world.process({ embedding })
    await memory.sync()
    const before = asked.length
    on.world.place.remove('a.md')
    on.world.place.write('b.md', `${FILES['b.md']}\n\n${FILES['a.md']}`)
    on.world.place.write('moved/garage.md', FILES['a.md'])
    await memory.syncIfChanged()
    expect(asked.slice(before)).toEqual([])
    const { chunks } = await memory.search({ query: 'automobile', maxResults: 9 })
    expect(chunks.map(({ path }) => path).sort()).toEqual(['b.md', 'moved/garage.md'])
  })

  it('of a file with more chunks than a call takes are stored call by call', async () => {
    await using on = await started()
    on.world.place.write('long.md', Array.from({ length: 150 }, (_, n) => `# Note ${n}`).join('\n\ntext\n\n'))
    on.model.endAfter(2)
    await expect(on.world.process({ embedding: on.model.embedding }).sync()).rejects.toThrow('power')
    const next = createModel()
    await on.world.process({ embedding: next.embedding }).sync()
    expect(on.model.asked.filter((text) => next.asked.includes(text))).toEqual([])
    expect(on.model.asked.length + next.asked.length).toBe(153)
  })

  it('of another size than the model gives are renewed by a sync that is asked for, also where no file has changed', async () => {
    await using on = await started()
    await on.world.process({ embedding: on.model.embedding }).sync()
    const grown = createModel('openai/m', 3)
    const memory = on.world.process({ embedding: grown.embedding })
    expect(await memory.syncIfChanged()).toBeUndefined()
    await memory.sync()
    const found = await memory.search({ query: 'automobile', maxResults: 9 })
    expect([found.method, found.chunks.map(({ path }) => path)]).toEqual(['hybrid', ['a.md']])
  })

  it('of another size than the model gives are left alone by a search, and renewed by the next change', async () => {
    await using on = await started()
    await on.world.process({ embedding: on.model.embedding }).sync()
    const grown = createModel('openai/m', 3)
    const memory = on.world.process({ embedding: grown.embedding })
    const { method, chunks } = await memory.search({ query: 'vehicle', maxResults: 9 })
    expect([method, chunks.map(({ foundBy }) => foundBy)]).toEqual(['lexical', [['words']]])
    on.world.place.write('c.md', '# New')
    await memory.sync()
    const found = await memory.search({ query: 'automobile', maxResults: 9 })
    expect([found.method, found.chunks.map(({ path }) => path)]).toEqual(['hybrid', ['a.md']])
    expect(found.chunks[0]?.foundBy).toEqual(['meaning'])
  })
})

it('chunks without a vector are counted once a file, and not for each answer', () => {
  let reads = 0
  const entry: FileEntry = {
    path: 'a.md',
    hash: 'h',
    tag: 't',
    size: 1,
    updatedAt: '2026-01-01T00:00:00.000Z',
    revision: 1,
    chunks: ['a', 'b'].map((id) => ({ id, startLine: 1, endLine: 1, text: id })),
    embeddedBy: 'openai/m',
    get vectors() {
      reads += 1
      return encodeVectors([Int8Array.of(1, 2), undefined], 2)
    },
  }
  expect([lackingIn(entry, 'openai/m'), lackingIn(entry, 'openai/m'), reads]).toEqual([1, 1, 1])
  expect(lackingIn(entry, 'openai/other')).toBe(2)
})

describe('two lists of hits as one', () => {
  const hits = (...ids: string[]) => ids.map((id) => ({ id, score: 0.1 }))

  it('has first what stands high in both', () => {
    expect(fused([hits('a', 'b', 'c'), hits('b', 'd', 'a')]).map(({ id }) => id)).toEqual([
      'b',
      'a',
      'd',
      'c',
    ])
    expect(fused([hits('a'), hits('a')])).toEqual([
      { id: 'a', score: 1, foundBy: ['words', 'meaning'], terms: [] },
    ])
    expect(fused([hits('a'), []])).toEqual([{ id: 'a', score: 0.5, foundBy: ['words'], terms: [] }])
    expect(fused([[], []])).toEqual([])
  })
})

describe('a model that refuses texts', () => {
  /** Refuses a call in which a text has the word. */
  const refusing = (status: number, word: string) => {
    const { embedding, calls } = createModel()
    const embed: Embedding['embed'] = async (texts, signal) => {
      const details = { provider: 'openai', reason: 'status', status }
      calls.push(texts.length)
      if (texts.some((text) => text.includes(word)))
        throw new Problem('unavailable', 'provider_error', 'refused', { details })
      return embedding.embed(texts, signal)
    }
    return { embedding: { ...embedding, embed }, calls }
  }
  const opened = (count: number) => {
    const world = createWorld()
    for (let n = 0; n < count; n += 1)
      world.place.write(`${n}.md`, n === 7 ? '# Garage\n\nA vehicle with poison' : `# F${n}\n\nNumber ${n}`)
    return world
  }

  it.each([400, 413, 422])('by HTTP %i leaves out the text that fails alone', async (status) => {
    await using world = opened(40)
    const { embedding, calls } = refusing(status, 'poison')
    const memory = world.process({ embedding })
    expect(await memory.sync()).not.toHaveProperty('embedding')
    expect(await memory.stats()).toMatchObject({ chunks: 40, refusedChunks: 1 })
    expect(await memory.stats()).not.toHaveProperty('withoutVector')
    const found = async (query: string) =>
      (await memory.search({ query, maxResults: 3 })).chunks.map(({ path }) => path)
    expect(await found('poison')).toEqual(expect.arrayContaining(['7.md']))
    expect(await found('number 12')).toContain('12.md')
    // It is not sent again.
    const made = calls.length
    await memory.syncIfChanged()
    expect(calls).toHaveLength(made)
    expect(made).toBeLessThan(40)
  })

  it.each([
    [400, ''],
    [500, 'poison'],
    [401, 'poison'],
  ])('by HTTP %i with %j says that vectors are missing, and is asked again', async (status, word) => {
    await using world = opened(9)
    const { embedding } = refusing(status, word)
    const memory = world.process({ embedding })
    expect(await memory.sync()).toMatchObject({ embedding: { reason: 'refused' } })
    expect(await memory.stats()).toMatchObject({ withoutVector: 9 })
  })
})
