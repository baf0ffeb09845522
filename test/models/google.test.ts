import { describe, expect, it } from '@jest/globals'
import { createModels } from '../../lib/adapters/models/models.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { forAllTests, forEachTest } from '../fakes/lifetimes.ts'
import { answer, ask, failure, tool } from '../fakes/model-steps.ts'
import { events, type Reply, reset, startWire, status } from '../fakes/model-wire.ts'

const KEY = 'AIza-planted-canary-0123456789'
const counted = { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 }
const failing = (code: number, name: string, headers = {}) =>
  status(code, { error: { code, message: `No ${KEY}`, status: name } }, headers)

/** A chunk of the stream, as in ai.google.dev/api/generate-content. */
const chunk = (part: object, finishReason?: string) => ({
  candidates: [
    { content: { role: 'model', parts: [part] }, index: 0, ...(finishReason && { finishReason }) },
  ],
  ...(finishReason && { usageMetadata: counted }),
})
const saying = (finishReason: string) =>
  events(chunk({ text: 'Hel' }), chunk({ text: 'lo ' }), chunk({ text: 'you' }, finishReason))
const called = { functionCall: { name: 'read_file', args: { path: 'a.txt' }, id: 'call_1' } }

/** What Gemini answers to each prompt. */
const replies: Readonly<Record<string, Reply>> = {
  hello: saying('STOP'),
  long: saying('MAX_TOKENS'),
  unsafe: saying('SAFETY'),
  cut: reset(chunk({ text: 'Hel' }), chunk({ text: 'lo ' })),
  read: events(chunk({ text: 'Look' }), chunk({ text: 'ing.' }), chunk(called, 'STOP')),
  key: failing(401, 'UNAUTHENTICATED'),
  limit: failing(429, 'RESOURCE_EXHAUSTED', { 'retry-after': '7' }),
  broken: failing(500, 'INTERNAL'),
}
const resultRead = events(chunk({ text: 'It says A!' }, 'STOP'))

/** The last part of a request chooses the answer: a prompt, or the result of the tool. */
const answering: Reply = (res, request) => {
  const { text, functionResponse } = request.body.contents.at(-1).parts.at(-1)
  const reply = JSON.stringify(functionResponse ?? '').includes('A!') ? resultRead : replies[text]
  return reply?.(res, request)
}

const gemini = forAllTests(
  () => startWire(answering),
  ({ close }) => close(),
)

const open = () => {
  // biome-ignore lint/suspicious/noExplicitAny: the test reaches into the body of a wire.
  const sent: { url: string; headers: Headers; body: any }[] = []
  const recording: typeof fetch = (input, init) => {
    const body = JSON.parse(String(init?.body))
    sent.push({ url: String(input), headers: new Headers(init?.headers), body })
    return fetch(input, init)
  }
  const providers = { google: { apiKey: KEY, baseUrl: `${gemini().origin}/v1beta`, model: 'gemini-3-flash' } }
  const models = createModels({ settings: { providers, retries: 0 }, clock: createClock(), fetch: recording })
  return { models, sent }
}

describe('a Gemini wire that breaks in the middle', () => {
  const wire = forEachTest(startWire, ({ close }) => close())
  const said = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hel' }] }, index: 0 }] }
  const call = { functionCall: { name: 'read_file', args: { path: 'a' } } }
  const called = { candidates: [{ content: { role: 'model', parts: [call] }, index: 0 }] }
  const unavailable = { error: { code: 503, message: `No ${KEY}`, status: 'UNAVAILABLE' } }
  const stopped = {
    candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }],
  }

  it.each<[string, Reply]>([
    ['by ending', events(said)],
    ['by ending after a call', events(said, called)],
    ['by a reset', reset(said)],
    ['by an error', events(said, unavailable)],
    ['by an error before its end', events(said, unavailable, stopped)],
    ['by what is no JSON', events(said, 'data: {oops\n\n', stopped)],
  ])('%s has failed, and no tool of it is called', async (_, reply) => {
    wire().replies.push(reply)
    const providers = { google: { apiKey: KEY, baseUrl: wire().origin } }
    const models = createModels({ settings: { providers, retries: 0 }, clock: createClock() })
    const { before, thrown } = await failure(models, ask('Hi', { tools: [tool('read_file')] }))
    expect(before.every(({ type }) => type === 'text')).toBe(true)
    expect(thrown).toMatchObject({ kind: 'unavailable', code: 'provider_error' })
    expect(thrown.message).not.toContain(KEY)
  })
})

describe('a step over the Gemini wire', () => {
  it('streams text and counts tokens; its key goes in a header', async () => {
    const { models, sent } = open()
    const { text, parts, finish } = await answer(models, ask('hello', { effort: 'high' }))
    expect([text, parts.length]).toEqual(['Hello you', 4])
    expect(finish).toMatchObject({
      reason: 'stop',
      usage: { promptTokens: 7, completionTokens: 2, totalTokens: 9 },
      provider: 'google',
      model: 'gemini-3-flash',
    })
    const [{ url = '', headers, body } = {}] = sent
    expect(url).toMatch(/\/v1beta\/models\/gemini-3-flash:streamGenerateContent\?alt=sse$/)
    expect([url.includes(KEY), headers?.get('x-goog-api-key')]).toEqual([false, KEY])
    expect(body.generationConfig).toMatchObject({
      maxOutputTokens: 16_384,
      thinkingConfig: { thinkingLevel: 'high' },
    })
  })

  it.each([
    ['long', 'length'],
    ['unsafe', 'content-filter'],
  ])('that is %s ends as %s', async (prompt, reason) => {
    expect((await answer(open().models, ask(prompt))).finish.reason).toBe(reason)
  })

  it('calls a tool and is given its result, also after a round trip through JSON', async () => {
    const { models, sent } = open()
    const tools = [tool('read_file')]
    const { finish } = await answer(models, ask('read', { tools }))
    const { reason, message } = finish
    const [call] = message.toolCalls ?? []
    expect([reason, call?.name, call?.arguments]).toEqual(['tool-calls', 'read_file', { path: 'a.txt' }])
    const messages = [
      { role: 'user' as const, content: 'read' },
      JSON.parse(JSON.stringify(message)),
      { role: 'tool' as const, callId: call?.id ?? '', name: 'read_file', content: 'A!', failed: false },
    ]
    expect((await answer(models, ask('', { tools, messages }))).text).toBe('It says A!')
    const [, turn, result] = sent[1]?.body.contents ?? []
    expect(turn.parts).toMatchObject([
      { text: 'Looking.' },
      { functionCall: { name: 'read_file', args: { path: 'a.txt' } } },
    ])
    expect(JSON.stringify(result)).toContain('A!')
  })

  it.each([
    ['key', { reason: 'refused', status: 401 }],
    ['broken', { reason: 'status', status: 500 }],
    ['cut', { reason: 'transport' }],
  ])('that fails (%s) is shown as provider_error without its key', async (prompt, details) => {
    const { thrown } = await failure(open().models, ask(prompt))
    expect(thrown).toMatchObject({ kind: 'unavailable', code: 'provider_error' })
    expect(thrown.details).toEqual({ provider: 'google', ...details })
    expect(thrown.message).not.toContain(KEY)
  })

  it('that is limited says how long', async () => {
    const { thrown } = await failure(open().models, ask('limit'))
    expect(thrown).toMatchObject({ kind: 'rate_limited', code: 'rate_limited', retryAfterMs: 7_000 })
    expect(thrown.message).not.toContain(KEY)
  })
})
