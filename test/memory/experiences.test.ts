import { describe, expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { ADMIN, createWorld } from './world.ts'

const learned = (intent: string) => ({
  type: 'tool_chain' as const,
  intent,
  solution: `How to ${intent}`,
  successScore: 0.5,
  tags: [],
})

/** A storage that counts the solutions that are read of experiences, and takes as many writes as it is let. */
const watched = (store: Store) => {
  const seen = { solutions: 0, writesLeft: Number.POSITIVE_INFINITY }
  const through: Store = {
    ...store,
    page: async (of, query) => {
      const page = await store.page(of, query)
      if (of.name === 'experiences' && query.detail) seen.solutions += page.rows.length
      return page
    },
    get: (of, key, detail) => {
      if (of.name === 'experiences' && detail) seen.solutions += 1
      return store.get(of, key, detail)
    },
    commit: async (...given) => {
      seen.writesLeft -= 1
      if (seen.writesLeft < 0) throw new Error('the power is gone')
      return store.commit(...given)
    },
  }
  return { seen, through }
}

describe('experiences that come and go', () => {
  it('are found by all processes, which read only what is new', async () => {
    await using world = createWorld()
    const { seen, through } = watched(world.store)
    const [one, two] = [world.process(), world.process({ store: through })]
    for (let n = 0; n < 30; n += 1) await one.experiences.create(ADMIN, learned(`mend roof${n}`))
    const intents = async (q: string) =>
      (await two.experiences.search({ q, limit: 9 })).experiences.map(({ intent }) => intent)
    expect(await intents('roof7')).toEqual(['mend roof7'])
    seen.solutions = 0
    const { id } = await one.experiences.create(ADMIN, learned('paint the fence'))
    expect(await intents('fence')).toEqual(['paint the fence'])
    // The new one, and once more as it is when it is answered.
    expect(seen.solutions).toBe(2)
    await one.experiences.remove(id)
    expect(await intents('fence')).toEqual([])
    expect(await intents('roof7')).toEqual(['mend roof7'])
  })

  it('are found although the process that recorded them died right after', async () => {
    await using world = createWorld()
    const { seen, through } = watched(world.store)
    const [other, dying] = [world.process(), world.process({ store: through })]
    await dying.experiences.create(ADMIN, learned('mend the roof'))
    await other.experiences.search({ q: 'fence', limit: 9 })
    seen.writesLeft = 1
    await dying.experiences.create(ADMIN, learned('paint the fence')).catch(() => undefined)
    const { experiences } = await other.experiences.search({ q: 'fence', limit: 9 })
    expect(experiences).toMatchObject([{ intent: 'paint the fence' }])
  })
})
