import { describe, expect, it } from '@jest/globals'
import { createModels } from '../../lib/adapters/models/models.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { type Reply, startWire, status } from '../fakes/model-wire.ts'

const KEY = 'sk-planted-canary-0123456789'
const wire = forEachTest(startWire, ({ close }) => close())

const models = (kind: string, reply: Reply, clock = createClock()) => {
  wire().replies.push(reply)
  return createModels({ settings: { providers: { [kind]: { apiKey: KEY, baseUrl: wire().origin } } }, clock })
}

describe('health of a provider', () => {
  it.each([
    ['anthropic', '/v1/models?limit=1', { 'x-api-key': KEY }],
    ['openai', '/v1/models', { authorization: `Bearer ${KEY}` }],
    ['ollama', '/v1/models', { authorization: `Bearer ${KEY}` }],
    ['openrouter', '/api/v1/key', { authorization: `Bearer ${KEY}` }],
    ['azure', '/openai/v1/models', { 'api-key': KEY }],
    ['google', '/v1beta/models?pageSize=1', { 'x-goog-api-key': KEY }],
    ['groq', '/openai/v1/models', { authorization: `Bearer ${KEY}` }],
    ['xai', '/v1/models', { authorization: `Bearer ${KEY}` }],
    ['mistral', '/v1/models', { authorization: `Bearer ${KEY}` }],
    ['cohere', '/v1/models?page_size=1', { authorization: `Bearer ${KEY}` }],
    ['perplexity', '/async/chat/completions', { authorization: `Bearer ${KEY}` }],
    ['deepseek', '/models', { authorization: `Bearer ${KEY}` }],
    ['together', '/v1/models', { authorization: `Bearer ${KEY}` }],
    ['cerebras', '/v1/models', { authorization: `Bearer ${KEY}` }],
    ['fireworks', '/inference/v1/models', { authorization: `Bearer ${KEY}` }],
  ])('of kind %s is asked by GET %s', async (kind, path, headers) => {
    const health = await models(kind, status(200, { data: [] })).health(kind)
    expect(health).toEqual({ healthy: true, latencyMs: expect.any(Number) })
    expect(wire().heard[0]).toMatchObject({ method: 'GET', path, headers })
  })

  it.each([
    [401, 'OpenAI rejected the API key (HTTP 401)'],
    [403, 'OpenAI rejected the API key (HTTP 403)'],
    [503, 'OpenAI responded with HTTP 503'],
  ])('that answers %i is bad', async (code, message) => {
    expect(await models('openai', status(code, { key: KEY })).health('openai')).toMatchObject({
      healthy: false,
      message,
    })
  })

  it.each([404, 405])('behind a gateway that answers %i to the check is not taken for bad', async (code) => {
    expect(await models('openai', status(code, {})).health('openai')).toMatchObject({
      healthy: true,
      message: `OpenAI could not be checked: its address has no list of models (HTTP ${code})`,
    })
  })

  it('that does not answer within 5 s is bad', async () => {
    const clock = createFakeClock()
    const health = models('openai', () => undefined, clock).health('openai')
    while (wire().heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    clock.advance(5_000)
    expect(await health).toEqual({ healthy: false, message: 'OpenAI did not respond within 5 s' })
    await wire().heard[0]?.closed
  })

  it('that cannot be reached is bad, and the message holds no password of the base URL', async () => {
    const baseUrl = 'http://someone:hunter2secret@127.0.0.1:1/v1'
    const port = createModels({ settings: { providers: { ollama: { baseUrl } } }, clock: createClock() })
    const { healthy, message } = await port.health('ollama')
    expect(healthy).toBe(false)
    expect(message).toMatch(/^Ollama could not be reached/)
    expect(message).not.toContain('hunter2secret')
  })

  it('of a provider that is not configured is bad', async () => {
    const health = await models('openai', status(200, {})).health('anthropic')
    expect(health).toEqual({ healthy: false, message: 'Provider "anthropic" is not configured' })
  })
})
