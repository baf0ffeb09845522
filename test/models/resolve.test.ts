import { describe, expect, it } from '@jest/globals'
import { createModels } from '../../lib/adapters/models/models.ts'
import { type ModelSettings, withStoredKeys } from '../../lib/adapters/models/resolve.ts'
import { createFakeClock } from '../fakes/clock.ts'

const models = (settings: ModelSettings) => createModels({ settings, clock: createFakeClock() })
const demo = { baseUrl: 'http://127.0.0.1:1/v1' }
const two = models({ providers: { openai: { apiKey: 'k' }, openrouter: { apiKey: 'k', model: 'a/b' } } })
const configured = (port: ReturnType<typeof models>) =>
  port.providers().flatMap(({ type, configured }) => (configured ? [type] : []))

const keyed = { takesKey: true, keyFrom: 'environment' }

describe('a model name', () => {
  it.each([
    [{}, 'openai', 'gpt-5.4'],
    [{ model: 'gpt-x' }, 'openai', 'gpt-x'],
    [{ model: '' }, 'openai', 'gpt-5.4'],
    [{ provider: 'openrouter' }, 'openrouter', 'a/b'],
    [{ model: 'openrouter/meta/llama' }, 'openrouter', 'meta/llama'],
    [{ provider: 'openrouter', model: 'openrouter/auto' }, 'openrouter', 'auto'],
    [{ provider: 'openrouter', model: 'openai/gpt-x' }, 'openrouter', 'openai/gpt-x'],
    [{ provider: 'openrouter', model: 'anthropic/claude' }, 'openrouter', 'anthropic/claude'],
    [{ model: 'ft:gpt/mine' }, 'openai', 'ft:gpt/mine'],
    [{ model: 'constructor/x' }, 'openai', 'constructor/x'],
  ])('of %j goes to %s as %s', (request, provider, model) => {
    expect(two.resolve(request)).toEqual({ provider, model })
  })

  it.each([
    [{ provider: 'nope' }],
    [{ provider: 'anthropic' }],
    [{ provider: 'constructor' }],
    [{ model: 'anthropic/claude' }],
  ])('of %j is unknown', (request) => {
    expect(() => two.resolve(request)).toThrow(
      expect.objectContaining({ kind: 'invalid', code: 'model_unknown' }),
    )
  })
})

describe('providers', () => {
  it.each([
    ['a key', { anthropic: { apiKey: 'k' } }, ['anthropic']],
    ['no key where one is needed', { anthropic: { baseUrl: 'http://x', model: 'm' }, openai: {} }, []],
    ['a base URL where no key is needed', { ollama: { baseUrl: 'http://127.0.0.1:11434' } }, ['ollama']],
    ['a model where no key is needed', { ollama: { model: 'llama' } }, ['ollama']],
    ['nothing where no key is needed', { ollama: {} }, []],
    ['the size of a window', { ollama: { contextTokens: 4_096 } }, []],
    ['a key where a base URL is needed too', { azure: { apiKey: 'k' } }, []],
    ['both', { azure: { apiKey: 'k', baseUrl: 'https://mine.openai.azure.com' } }, ['azure']],
  ])('are configured by %s', (_, providers, expected) => {
    expect(configured(models({ providers }))).toEqual(expected)
  })

  it('list every kind with its model, and show no key', () => {
    const known = two.providers()
    expect(known.map(({ type }) => type)).toEqual(
      'anthropic openai azure google ollama openrouter groq xai mistral cohere perplexity deepseek together cerebras fireworks'.split(
        ' ',
      ),
    )
    expect(known.filter(({ configured }) => configured)).toEqual([
      { type: 'openai', name: 'OpenAI', configured: true, model: 'gpt-5.4', ...keyed },
      { type: 'openrouter', name: 'OpenRouter', configured: true, model: 'a/b', ...keyed },
    ])
    expect(known[0]).toEqual({ type: 'anthropic', name: 'Anthropic', configured: false, takesKey: true })
  })

  it.each<[string, ModelSettings['providers'], Record<string, string>, (string | undefined)[]]>([
    ['one is stored', {}, { anthropic: 'a' }, ['anthropic', 'stored']],
    ['the environment has it too', { openai: { apiKey: 'e' } }, { openai: 'a' }, ['openai', 'environment']],
    [
      'the environment has one of a later kind',
      { groq: { apiKey: 'e' } },
      { anthropic: 'a' },
      ['groq', 'environment', 'anthropic', 'stored'],
    ],
    ['it needs an address, which is not set', {}, { azure: 'a' }, []],
    [
      'it needs an address, which is set',
      { azure: { baseUrl: 'https://mine.openai.azure.com' } },
      { azure: 'a' },
      ['azure', 'stored'],
    ],
    ['it needs none', {}, { ollama: 'a' }, []],
    ['it is of no provider', {}, { constructor: 'a' }, []],
  ])('use a stored key beside the environment where %s', (_, providers, stored, expected) => {
    const port = models({ providers: withStoredKeys(providers, stored) })
    const all = port.providers().filter((one) => one.configured)
    const first = all.find(({ type }) => type === (all.length > 0 ? port.resolve({}).provider : ''))
    const inOrder = first ? [first, ...all.filter((one) => one !== first)] : []
    expect(inOrder.flatMap(({ type, keyFrom }) => [type, keyFrom])).toEqual(expected)
  })

  it('hold the demo model, marked, only when there is no other', () => {
    const alone = models({ providers: {}, demo, default: 'anthropic' })
    expect(alone.resolve({})).toEqual({ provider: 'demo', model: 'demo' })
    expect(alone.providers().at(-1)).toMatchObject({
      type: 'demo',
      demo: true,
      name: expect.stringContaining('not an AI'),
    })
    const beside = models({ providers: { openai: { apiKey: 'k' } }, demo })
    expect(configured(beside)).toEqual(['openai'])
    expect(() => beside.resolve({ provider: 'demo' })).toThrow('not configured')
  })

  it('without any answer that none is configured', () => {
    const none = models({ providers: {}, default: 'anthropic' })
    expect(() => none.resolve({ model: 'x' })).toThrow(
      expect.objectContaining({ kind: 'unavailable', code: 'no_provider' }),
    )
  })

  it('start with the default one, which must be configured', () => {
    const providers = { openai: { apiKey: 'k' }, ollama: { model: 'm' } }
    expect(models({ providers, default: 'ollama' }).resolve({})).toEqual({ provider: 'ollama', model: 'm' })
    expect(() => models({ providers, default: 'anthropic' })).toThrow('DEFAULT_PROVIDER names "anthropic"')
    expect(() => models({ providers: {}, demo, default: 'antropic' })).toThrow(
      'DEFAULT_PROVIDER names "antropic"',
    )
  })
})
