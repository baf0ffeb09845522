import { describe, expect, it } from '@jest/globals'
import { createEmbedding } from '../../lib/adapters/models/embedding.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { type Reply, startWire, status } from '../fakes/model-wire.ts'

const wire = forEachTest(startWire, ({ close }) => close())
const { signal } = new AbortController()

const answering = (...vectors: readonly unknown[]): Reply =>
  status(200, {
    object: 'list',
    model: 'm',
    usage: { prompt_tokens: 1, total_tokens: 1 },
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  })

const openEmbedding = (model: string, replies: readonly Reply[] = [], clock: Clock = createClock()) => {
  wire().replies.push(...replies)
  const providers = {
    openai: { apiKey: 'sk-secret', baseUrl: `${wire().origin}/v1` },
    ollama: { baseUrl: wire().origin },
  }
  return createEmbedding({ settings: { providers }, model, clock })
}

describe('an embedding model', () => {
  it.each(['openai/text-embedding-3-small', 'ollama/org/model:latest'])(
    'answers a vector for each text: %s',
    async (model) => {
      const { embed } = openEmbedding(model, [answering([1, 0], [0.5, 0.5])])
      expect(await embed(['a', 'b'], signal)).toEqual([Float32Array.of(1, 0), Float32Array.of(0.5, 0.5)])
      expect(wire().heard[0]).toMatchObject({
        path: '/v1/embeddings',
        body: { model: model.slice(model.indexOf('/') + 1), input: ['a', 'b'] },
      })
    },
  )

  it.each([
    ['a key that is refused', status(401, { error: { message: 'bad sk-secret' } }), 'provider_error'],
    ['a limit', status(429, { error: { message: 'slow down' } }, { 'retry-after': '0' }), 'rate_limited'],
    ['fewer vectors than texts', answering([1, 0]), 'provider_error'],
    ['vectors of different sizes', answering([1, 0], [1]), 'provider_error'],
    ['vectors of nothing', answering([], []), 'provider_error'],
    ['something else', status(200, { data: 'none' }), 'provider_error'],
  ] as const)('that answers %s has failed, and tells no key', async (_what, reply, code) => {
    const thrown = await openEmbedding('openai/m', [reply])
      .embed(['a', 'b'], signal)
      .catch((error: Error) => error)
    expect(thrown).toMatchObject({ name: 'Problem', code })
    expect((thrown as Error).message).not.toContain('sk-secret')
  })

  it('is not called again before the time that it asks for', async () => {
    const clock = createFakeClock()
    const limited = status(503, { error: { message: 'busy' } }, { 'retry-after': '60' })
    const { embed } = openEmbedding('openai/m', [limited, answering([1, 0])], clock)
    const refused = (retryAfterMs: number) =>
      expect(embed(['a'], signal)).rejects.toMatchObject({ retryAfterMs })
    await refused(60_000)
    clock.advance(59_999)
    await refused(1)
    expect(wire().heard).toHaveLength(1)
    clock.advance(1)
    expect(await embed(['a'], signal)).toHaveLength(1)
  })

  it.each([
    ['anthropic/claude', /^anthropic has no embedding models. Use one of openai, ollama, openrouter$/],
    ['openrouter/a/b', /^openrouter is not configured$/],
  ])('that cannot be called is refused when the service starts: %s', (model, why) => {
    expect(() => openEmbedding(model)).toThrow(why)
  })
})
