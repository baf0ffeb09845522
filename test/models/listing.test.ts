import { describe, expect, it } from '@jest/globals'
import { createModels } from '../../lib/adapters/models/models.ts'
import type { ProviderSettings } from '../../lib/adapters/models/resolve.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { createFakeLog } from '../fakes/log.ts'
import { hang, type Reply, startWire, status } from '../fakes/model-wire.ts'

const KEY = 'sk-planted-canary-0123456789'
const wire = forEachTest(startWire, ({ close }) => close())

const open = (kind: string, replies: Reply[], more: ProviderSettings = {}) => {
  wire().replies.push(...replies)
  const clock = createFakeClock()
  const log = createFakeLog()
  const providers = { [kind]: { apiKey: KEY, baseUrl: `${wire().origin}/v1`, model: 'mine', ...more } }
  return { models: createModels({ settings: { providers }, clock, log }), clock, log }
}
const lists = (...ids: string[]) => status(200, { data: ids.map((id) => ({ id, object: 'model' })) })

describe('the models of a provider', () => {
  it.each<[string, string, unknown, [string, string][]]>([
    [
      'anthropic',
      '/v1/models?limit=1000',
      { data: [{ id: 'c', display_name: 'Claude' }] },
      [['c', 'Claude']],
    ],
    ['openai', '/v1/models', { data: [{ id: 'g', owned_by: 'x' }] }, [['g', 'g']]],
    [
      'google',
      '/v1/models?pageSize=1000',
      {
        models: [
          { name: 'models/g', displayName: 'Gem', supportedGenerationMethods: ['generateContent'] },
          { name: 'models/e', displayName: 'Emb', supportedGenerationMethods: ['embedContent'] },
        ],
      },
      [['g', 'Gem']],
    ],
    [
      'cohere',
      '/v1/models?page_size=1000&endpoint=chat',
      { models: [{ name: 'command' }] },
      [['command', 'command']],
    ],
    [
      'mistral',
      '/v1/models',
      {
        data: [
          { id: 'm', name: 'M', capabilities: { completion_chat: true } },
          { id: 'e', capabilities: { completion_chat: false } },
        ],
      },
      [['m', 'M']],
    ],
    [
      'together',
      '/v1/models',
      [
        { id: 'a/b', type: 'chat', display_name: 'AB' },
        { id: 'a/i', type: 'image' },
      ],
      [['a/b', 'AB']],
    ],
  ])('of kind %s are asked for by GET %s', async (kind, path, answer, expected) => {
    const { models } = open(kind, [status(200, answer)])
    const listed = await models.models(kind)
    expect(listed).toEqual(expected.map(([id, name]) => ({ id, provider: kind, name })))
    expect(wire().heard).toMatchObject([{ method: 'GET', path }])
    expect(JSON.stringify(wire().heard[0]?.headers)).toContain(KEY)
  })

  it.each(['azure', 'perplexity'])('of kind %s are not listed by it: the configured one is', async (kind) => {
    const { models } = open(kind, [])
    expect(await models.models(kind)).toEqual([{ id: 'mine', provider: kind, name: 'mine' }])
    expect(wire().heard).toEqual([])
  })

  it('are asked for once in ten minutes, also by several at once', async () => {
    const { models, clock } = open('openai', [lists('a'), lists('a', 'b')])
    const both = await Promise.all([models.models('openai'), models.models()])
    expect(both.map((list) => list.map(({ id }) => id))).toEqual([['a'], ['a']])
    expect(clock.pending).toBe(0)
    clock.advance(599_999)
    expect(await models.models('openai')).toHaveLength(1)
    expect(wire().heard).toHaveLength(1)
    clock.advance(1)
    expect(await models.models('openai')).toHaveLength(2)
  })

  const large = (res: Parameters<Reply>[0]) => res.writeHead(200).end(' '.repeat(9_000_000))
  it.each<[string, Reply, RegExp]>([
    ['HTTP 500', status(500, { key: KEY }), /HTTP 500/],
    ['a redirect', status(307, {}, { location: '/elsewhere' }), /redirect/],
    ['no JSON', (res) => res.writeHead(200).end('<html>'), /JSON/],
    ['something else', status(200, { data: {} }), /without a list/],
    ['too much', large, /more than 8388608 bytes/],
    ['nothing but a dropped connection', (res) => res.destroy(), /./],
  ])('are the configured one for half a minute after %s', async (_, reply, why) => {
    const { models, clock, log } = open('openai', [reply, lists('a')])
    const mine = [{ id: 'mine', provider: 'openai', name: 'mine' }]
    expect(await models.models('openai')).toEqual(mine)
    expect(log.entries).toMatchObject([{ level: 'warn', fields: { provider: 'openai' } }])
    expect(log.entries[0]?.fields.reason).toMatch(why)
    expect(JSON.stringify(log.entries)).not.toContain(KEY)
    clock.advance(29_000)
    expect(await models.models('openai')).toEqual(mine)
    expect(wire().heard).toHaveLength(1)
    clock.advance(1_000)
    expect((await models.models('openai')).map(({ id }) => id)).toEqual(['a'])
  })

  it.each<[string, Reply]>([
    ['before it answers', () => undefined],
    ['in the middle of its answer', hang('{"data":')],
  ])('are the configured one of a provider that is silent for 5 s %s', async (_, reply) => {
    const { models, clock } = open('openai', [reply])
    const listed = models.models('openai')
    while (wire().heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, 50))
    clock.advance(5_000)
    expect((await listed).map(({ id }) => id)).toEqual(['mine'])
    await wire().heard[0]?.closed
    expect(clock.pending).toBe(0)
  })

  it('are at most 2,000, each once, and fit for one line', async () => {
    const ids = [
      'a',
      'a',
      'b\u001b[31m',
      'c'.repeat(201),
      '',
      ...Array.from({ length: 3_000 }, (_, n) => `m${n}`),
    ]
    const listed = await open('openai', [lists(...ids)]).models.models('openai')
    expect([listed.length, listed[0]?.id, listed[1]?.id]).toEqual([2_000, 'a', 'm0'])
  })

  it('of a provider that is not configured are refused', async () => {
    await expect(open('openai', []).models.models('groq')).rejects.toMatchObject({ code: 'model_unknown' })
  })
})

describe('the context window of a model', () => {
  const of = (models: ReturnType<typeof open>['models'], provider: string, model: string) =>
    models.contextTokens({ provider, model })

  it('is what is set, else what the provider lists, else what is known, else 128,000', async () => {
    const answer = {
      data: [
        { id: 'vendor/claude-x', context_length: 64_000 },
        { id: 'y', context_length: null },
      ],
    }
    const { models } = open('openrouter', [status(200, answer)])
    expect(of(models, 'openrouter', 'vendor/claude-x')).toBe(200_000)
    await models.models('openrouter')
    expect(of(models, 'openrouter', 'vendor/claude-x')).toBe(64_000)
    expect(of(models, 'openrouter', 'y')).toBe(128_000)
    const set = open('openrouter', [], { contextTokens: 9_000 }).models
    expect(of(set, 'openrouter', 'vendor/claude-x')).toBe(9_000)
  })

  it.each([
    ['context_length', 'together'],
    ['context_window', 'groq'],
    ['max_context_length', 'mistral'],
    ['inputTokenLimit', 'google'],
    ['max_input_tokens', 'anthropic'],
    ['max_model_len', 'openai'],
  ])('is read from %s, as %s has it', async (field, kind) => {
    const { models } = open(kind, [status(200, { data: [{ id: 'x', [field]: 5_000 }] })])
    await models.models(kind)
    expect(of(models, kind, 'x')).toBe(5_000)
  })

  it.each([
    ['claude-sonnet-5', 200_000],
    ['gpt-5.4', 400_000],
    ['gpt-5-chat-latest', 128_000],
    ['accounts/x/models/gpt-oss-120b', 131_072],
    ['models/Gemini-flash-latest', 1_048_576],
    ['unheard-of', 128_000],
    ['constructor', 128_000],
  ])('of %s is %i', (model, tokens) => {
    expect(of(open('openai', []).models, 'openai', model)).toBe(tokens)
  })
})
