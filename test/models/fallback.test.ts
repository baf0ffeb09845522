import { describe, expect, it } from '@jest/globals'
import { isProviderFault } from '../../lib/adapters/models/failures.ts'
import { createModels } from '../../lib/adapters/models/models.ts'
import type { ModelSettings } from '../../lib/adapters/models/resolve.ts'
import { createBreakers } from '../../lib/adapters/node/breakers.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { createFakeLog } from '../fakes/log.ts'
import { answer, ask, failure, tool } from '../fakes/model-steps.ts'
import { chunk, DONE, events, hang, type Reply, reset, startWire, status } from '../fakes/model-wire.ts'

const KEY = 'sk-planted-canary-0123456789'
const completeAnswer = events(chunk({ content: 'Hello' }), chunk({}, 'stop'), DONE)
const wire = () => forEachTest(startWire, ({ close }) => close())
const [first, second, third] = [wire(), wire(), wire()]

type Replies = Readonly<Record<'first' | 'second' | 'third', readonly Reply[]>>

const models = (replies: Partial<Replies>, more: Partial<ModelSettings> = {}, clock = createClock()) => {
  first().replies.push(...(replies.first ?? []))
  second().replies.push(...(replies.second ?? []))
  third().replies.push(...(replies.third ?? []))
  const providers = {
    openrouter: { apiKey: KEY, baseUrl: `${first().origin}/v1`, model: 'one' },
    groq: { apiKey: KEY, baseUrl: `${second().origin}/v1`, model: 'two' },
    ollama: { baseUrl: `${third().origin}/v1`, model: 'three' },
  }
  const breakers = createBreakers({ clock: createFakeClock(), isFault: isProviderFault })
  const guard = <T>(provider: string, call: () => Promise<T>) => breakers.of(provider).run(call)
  const fallbacks = ['groq', 'ollama']
  const settings = { providers, default: 'openrouter', fallbacks, retries: 0, ...more }
  const log = createFakeLog()
  return Object.assign(createModels({ settings, clock, log, guard }), { breakers, log })
}

const requestCounts = () => [first(), second(), third()].map(({ heard }) => heard.length)

describe('the fallback chain', () => {
  const unavailable: [string, Reply, Partial<ModelSettings>][] = [
    ['answers HTTP 500', status(500, {}), {}],
    ['answers HTTP 529', status(529, {}), {}],
    ['is over quota (429)', status(429, {}, { 'retry-after': '60' }), {}],
    ['is out of credit (402)', status(402, {}), {}],
    ['drops the connection', (res) => res.destroy(), {}],
    ['ends its stream before the first part', events(chunk({ role: 'assistant' })), {}],
    ['says nothing', hang(), { silenceMs: 50 }],
  ]
  it.each(unavailable)('goes on when a provider %s, and says so', async (_, reply, more) => {
    const port = models({ first: [reply], second: [completeAnswer] }, more)
    const { text, finish } = await answer(port, ask('Hi', { model: 'openrouter/special' }))
    expect(text).toBe('Hello')
    expect(finish).toMatchObject({ provider: 'groq', model: 'two', fallbackFrom: 'openrouter' })
    expect([first(), second()].map(({ heard }) => heard[0]?.body.model)).toEqual(['special', 'two'])
    expect(JSON.stringify(port.log.entries)).toContain('openrouter')
    expect(JSON.stringify(port.log.entries)).not.toContain(KEY)
  })

  it('begins after the retries of a provider, and only then', async () => {
    const port = models({ first: [status(500, {})], second: [completeAnswer] }, { retries: 1 })
    await answer(port, ask('Hi'))
    expect(requestCounts()).toEqual([2, 1, 0])
  })

  it.each<[string, Reply]>([
    ['HTTP 400', status(400, {})],
    ['HTTP 401', status(401, {})],
    ['an unknown model', status(404, { error: { message: 'no such model' } })],
    ['what cannot be read', events('data: {oops\n\n')],
  ])('does not hide %s', async (_, reply) => {
    await failure(models({ first: [reply], second: [completeAnswer] }), ask('Hi'))
    expect(requestCounts()).toEqual([1, 0, 0])
  })

  it('ends with the first part that was handed on', async () => {
    const port = models({ first: [reset(chunk({ content: 'Hel' }))], second: [completeAnswer] })
    const { before, thrown } = await failure(port, ask('Hi'))
    expect(before).toEqual([{ type: 'text', text: 'Hel' }])
    expect(thrown).toMatchObject({ details: { provider: 'openrouter', reason: 'transport' } })
    expect(requestCounts()).toEqual([1, 0, 0])
  })

  it('goes through all of it in order, and throws the failure of the provider asked first', async () => {
    const limited = status(429, {}, { 'retry-after': '60' })
    const port = models({ first: [limited], second: [status(500, {})], third: [status(401, {})] })
    const { thrown } = await failure(port, ask('Hi'))
    expect(thrown).toMatchObject({ code: 'rate_limited', retryAfterMs: 60_000 })
    expect(requestCounts()).toEqual([1, 1, 1])
  })

  it('names the provider asked first, also when the second one fails too', async () => {
    const port = models({ first: [status(500, {})], second: [status(500, {})], third: [completeAnswer] })
    const { finish } = await answer(port, ask('Hi'))
    expect(finish).toMatchObject({ provider: 'ollama', fallbackFrom: 'openrouter' })
  })

  it('does not ask a provider twice, and says nothing where the provider asked answered', async () => {
    const port = models({ first: [completeAnswer], second: [status(500, {})], third: [completeAnswer] })
    const { finish } = await answer(port, ask('Hi', { provider: 'groq' }))
    expect(finish).toMatchObject({ provider: 'ollama', fallbackFrom: 'groq' })
    expect(requestCounts()).toEqual([0, 1, 1])
    expect((await answer(port, ask('Hi'))).finish).not.toHaveProperty('fallbackFrom')
  })

  it('goes on at once while the breaker of a provider is open; each breaker counts its own provider', async () => {
    const port = models({ first: [status(500, {})], second: [completeAnswer] })
    for (let times = 0; times < 12; times += 1) await answer(port, ask('Hi'))
    expect(requestCounts()).toEqual([10, 12, 0])
    const [one, two] = ['openrouter', 'groq'].map(port.breakers.of)
    expect([one?.state, one?.failures, one?.successes]).toEqual(['OPEN', 10, 0])
    expect([two?.state, two?.failures, two?.successes]).toEqual(['CLOSED', 0, 12])
  })

  it.each<[string, Reply, number[]]>([
    ['first', status(500, {}), [1, 0, 0]],
    ['second', hang(), [1, 1, 0]],
  ])(
    'ends with the signal while the %s provider is asked, and throws its reason',
    async (which, reply, calls) => {
      const stop = new AbortController()
      const reason = new Error('Cancelled')
      const leaving: Reply = (res, heard) => {
        stop.abort(reason)
        return reply(res, heard)
      }
      const replies = { first: [status(500, {})], second: [completeAnswer], third: [completeAnswer] }
      const port = models({ ...replies, [which]: [leaving] })
      const { thrown } = await failure(port, ask('Hi', { signal: stop.signal }))
      expect(thrown).toBe(reason)
      expect(requestCounts()).toEqual(calls)
    },
  )

  it('takes the text of a history along, not what belongs to the provider that wrote it', async () => {
    const port = models({ first: [status(500, {})], second: [completeAnswer] })
    const opaque = { provider: 'openrouter', messages: [{ role: 'assistant', content: 'signed' }] }
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: 'Plain', opaque },
      { role: 'user' as const, content: 'Go on' },
    ]
    await answer(port, ask('', { messages }))
    const said = [first(), second()].map(({ heard }) => heard[0]?.body.messages[1].content)
    expect(said).toEqual(['signed', 'Plain'])
  })

  it('leaves out a provider that takes no tools when there are some', async () => {
    const providers = {
      openrouter: { apiKey: KEY, baseUrl: `${first().origin}/v1` },
      perplexity: { apiKey: KEY, baseUrl: `${second().origin}/p` },
      ollama: { baseUrl: `${third().origin}/v1` },
    }
    const port = models(
      { first: [status(500, {})], second: [completeAnswer], third: [completeAnswer] },
      { providers, fallbacks: ['perplexity', 'ollama'] },
    )
    const { finish } = await answer(port, ask('Hi', { tools: [tool('read_file')] }))
    expect(finish.provider).toBe('ollama')
    expect((await answer(port, ask('Hi'))).finish.provider).toBe('perplexity')
  })
})

describe('a fallback whose window is small', () => {
  it.each([
    ['is left out for a prompt that does not fit', 'word '.repeat(2_000), 'ollama', [1, 0, 1]],
    ['is asked where the prompt fits', 'Hi', 'groq', [1, 1, 0]],
  ])('%s', async (_, prompt, provider, calls) => {
    const providers = {
      openrouter: { apiKey: KEY, baseUrl: `${first().origin}/v1` },
      groq: { apiKey: KEY, baseUrl: `${second().origin}/v1`, contextTokens: 1_000 },
      ollama: { baseUrl: `${third().origin}/v1` },
    }
    const port = models(
      { first: [status(500, {})], second: [completeAnswer], third: [completeAnswer] },
      { providers },
    )
    const { finish } = await answer(port, ask(prompt))
    expect([finish.provider, finish.fallbackFrom, requestCounts()]).toEqual([provider, 'openrouter', calls])
  })

  it('is left out, and the failure of the provider asked is thrown, where there is no other', async () => {
    const providers = {
      openrouter: { apiKey: KEY, baseUrl: `${first().origin}/v1` },
      groq: { apiKey: KEY, baseUrl: `${second().origin}/v1`, contextTokens: 1_000 },
    }
    const port = models({ first: [status(500, {})] }, { providers, fallbacks: ['groq'] })
    const { thrown } = await failure(port, ask('word '.repeat(2_000)))
    expect(thrown).toMatchObject({ code: 'provider_error', details: { provider: 'openrouter' } })
    expect(requestCounts()).toEqual([1, 0, 0])
  })
})

describe('a fallback that is not configured', () => {
  it('is refused by name, the demo model too', () => {
    expect(() => models({}, { fallbacks: ['groq', 'mistral'] })).toThrow(
      'FALLBACK_PROVIDERS names "mistral", which is not configured (configured: ollama, openrouter, groq)',
    )
    const demo = { baseUrl: 'http://127.0.0.1:1' }
    expect(() => models({}, { providers: {}, demo, default: 'groq', fallbacks: ['demo'] })).toThrow('"demo"')
  })
})
