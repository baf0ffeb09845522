import { describe, expect, it } from '@jest/globals'
import { createExpand } from '../../lib/memory/expand.ts'
import type { Models } from '../../lib/ports/model.ts'
import { createFakeLog } from '../fakes/log.ts'
import { createScriptedModels } from '../fakes/scripted-models.ts'
import { createWorld, passing } from './world.ts'

const failing: Pick<Models, 'step'> = {
  // biome-ignore lint/correctness/useYield: a model that fails before its first part.
  step: async function* () {
    throw new Error('down')
  },
}

/** A model that says nothing until its time is up. */
const slow: Pick<Models, 'step'> = {
  step: async function* ({ signal }) {
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  },
}

const started = async (models: Pick<Models, 'step'>) => {
  const world = createWorld()
  world.place.write('a.md', '# Garage\n\nOur vehicle is red.')
  world.place.write('b.md', '# Kitchen\n\nThe car of the cook is hot.')
  const memory = world.process({ expand: createExpand({ models, clock: world.clock, log: createFakeLog() }) })
  await memory.sync()
  return { memory, clock: world.clock, [Symbol.asyncDispose]: world[Symbol.asyncDispose] }
}

describe('a question that a model adds words to', () => {
  it('finds what has other words, and says by which of them', async () => {
    const models = createScriptedModels([{ text: 'vehicle automobile' }])
    await using on = await started(models)
    for (let round = 0; round < 2; round += 1) {
      const { method, chunks } = await on.memory.search({ query: 'car', maxResults: 6 })
      expect([method, chunks.map(({ path, foundBy }) => [path, foundBy])]).toEqual([
        'lexical',
        expect.arrayContaining([
          ['a.md', ['expansion']],
          ['b.md', ['words']],
        ]),
      ])
    }
    // The same question is asked once.
    expect(models.requests).toHaveLength(1)
    expect(models.requests[0]).toMatchObject({
      maxOutputTokens: 120,
      messages: [{ role: 'system' }, { content: 'car' }],
    })
  })

  it.each([
    ['fails', 0, failing],
    ['does not answer within four seconds', 4, slow],
    ['says nothing', 0, createScriptedModels([{ text: ' ' }])],
  ])('is searched by its own words where the model %s', async (_what, seconds, models) => {
    await using on = await started(models)
    const begun = on.clock.monotonic()
    const { chunks } = await passing(on.clock, on.memory.search({ query: 'car', maxResults: 6 }))
    expect(chunks.map(({ path, foundBy }) => [path, foundBy])).toEqual([['b.md', ['words']]])
    expect(Math.floor((on.clock.monotonic() - begun) / 1_000)).toBe(seconds)
  })
})
