import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { createModels } from '../../lib/adapters/models/models.ts'
import type { ModelSettings } from '../../lib/adapters/models/resolve.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { answer, ask, failure, tool } from '../fakes/model-steps.ts'
import {
  chunk,
  DONE,
  events,
  hang,
  type Reply,
  reset,
  startWire,
  status,
  usage,
} from '../fakes/model-wire.ts'

const KEY = 'sk-planted-canary-0123456789'
const hello = [chunk({ role: 'assistant', content: 'Hel' }), chunk({ content: 'lo' })]
const completeAnswer = events(...hello, chunk({}, 'stop'), usage(7, 2), DONE)
const toolCallAnswer = (args: string[], name = 'read_file') =>
  events(
    chunk({ role: 'assistant', content: null }),
    chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: '' } }] }),
    ...args.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    chunk({}, 'tool_calls'),
    DONE,
  )

const wire = forEachTest(startWire, ({ close }) => close())

const models = (replies: Reply[], more: Partial<ModelSettings> = {}, clock = createClock()) => {
  wire().replies.push(...replies)
  const providers = { openrouter: { apiKey: KEY, baseUrl: `${wire().origin}/api/v1`, model: 'm' } }
  return createModels({ settings: { providers, retries: 0, ...more }, clock })
}

describe('a step over chat completions', () => {
  it('sends key, model, limits and tools, and asks for usage', async () => {
    const request = ask('Hi', {
      tools: [tool('read_file')],
      temperature: 0.5,
      effort: 'max',
      model: 'vendor/x',
    })
    await answer(models([completeAnswer]), request)
    expect(wire().heard[0]?.path).toBe('/api/v1/chat/completions')
    expect(wire().heard[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(wire().heard[0]?.body).toMatchObject({
      model: 'vendor/x',
      max_tokens: 16_384,
      temperature: 0.5,
      reasoning_effort: 'high',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } }],
    })
  })

  it('counts no tokens where the provider reports none', async () => {
    const { finish } = await answer(models([events(...hello, chunk({}, 'stop'), DONE)]), ask('Hi'))
    expect(finish.usage).toEqual({
      promptTokens: 0,
      completionTokens: 0,
      totalTokens: 0,
      cost: { usd: null, source: 'unknown' },
    })
  })

  it.each([
    ['content_filter', 'content-filter'],
    ['something_new', 'other'],
  ])('ends a finish_reason of %s as %s', async (raw, reason) => {
    const { finish } = await answer(models([events(...hello, chunk({}, raw), DONE)]), ask('Hi'))
    expect(finish.reason).toBe(reason)
  })

  it('puts a tool call together from its pieces', async () => {
    const request = ask('Hi', { tools: [tool('read_file')] })
    const { parts, finish } = await answer(models([toolCallAnswer(['{"pa', 'th":"a', '.txt"}'])]), request)
    const call = { id: 'call_1', name: 'read_file', arguments: { path: 'a.txt' } }
    expect(parts[0]).toEqual({ type: 'tool-call', call })
    expect(finish).toMatchObject({ reason: 'tool-calls', message: { content: '', toolCalls: [call] } })
  })

  it('hands on arguments that are no JSON as the text they are', async () => {
    const { finish } = await answer(
      models([toolCallAnswer(['{"path": oops'])]),
      ask('Hi', { tools: [tool('read_file')] }),
    )
    expect(finish.message.toolCalls).toEqual([
      { id: 'call_1', name: 'read_file', arguments: '{"path": oops' },
    ])
  })

  it('hands on a call of a tool that was not offered', async () => {
    const { finish } = await answer(
      models([toolCallAnswer(['{}'], 'rm')]),
      ask('Hi', { tools: [tool('read_file')] }),
    )
    expect(finish.message.toolCalls).toEqual([{ id: 'call_1', name: 'rm', arguments: {} }])
  })

  it('streams reasoning apart from text', async () => {
    const reply = events(chunk({ reasoning_content: 'Hm. ' }), ...hello, chunk({}, 'stop'), DONE)
    const { text, reasoning, finish } = await answer(models([reply]), ask('Hi'))
    expect([text, reasoning, finish.message.content]).toEqual(['Hello', 'Hm. ', 'Hello'])
  })
})

describe('the history over chat completions', () => {
  it('carries tool calls and their results, one system text first, also after a round trip through JSON', async () => {
    const port = models([toolCallAnswer(['{"path":"a"}']), completeAnswer])
    const tools = [tool('read_file')]
    const { finish } = await answer(port, ask('Hi', { tools }))
    const messages = [
      { role: 'system' as const, content: 'One.' },
      { role: 'user' as const, content: 'Hi' },
      JSON.parse(JSON.stringify(finish.message)),
      { role: 'tool' as const, callId: 'call_1', name: 'read_file', content: 'A!', failed: false },
      { role: 'system' as const, content: 'Two.' },
    ]
    await answer(port, ask('', { tools, messages }))
    expect(wire().heard[1]?.body.messages).toEqual([
      { role: 'system', content: 'One.\n\nTwo.' },
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'A!' },
    ])
  })

  it('answers an unreadable call once, with the result the loop gives', async () => {
    const port = models([toolCallAnswer(['{oops']), completeAnswer])
    const tools = [tool('read_file')]
    const { finish } = await answer(port, ask('Hi', { tools }))
    const result = {
      role: 'tool' as const,
      callId: 'call_1',
      name: 'read_file',
      content: 'no JSON',
      failed: true,
    }
    const messages = [{ role: 'user' as const, content: 'Hi' }, finish.message, result]
    await answer(port, ask('', { tools, messages }))
    const sent = wire().heard[1]?.body.messages
    expect(sent).toHaveLength(3)
    expect(sent[1].tool_calls[0].function.arguments).toBe('{}')
    expect(sent[2]).toEqual({ role: 'tool', tool_call_id: 'call_1', content: 'no JSON' })
  })

  it('is rebuilt from text and calls when another provider wrote the message', async () => {
    const opaque = { provider: 'anthropic', messages: [{ role: 'assistant', content: 'not for you' }] }
    const toolCalls = [{ id: 'c', name: 'read_file', arguments: 'raw' }]
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: 'I look.', toolCalls, opaque },
      { role: 'tool' as const, callId: 'c', name: 'read_file', content: 'x', failed: true },
    ]
    await answer(models([completeAnswer]), ask('', { messages }))
    expect(wire().heard[0]?.body.messages[1]).toEqual({
      role: 'assistant',
      content: 'I look.',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'read_file', arguments: '{}' } }],
    })
  })

  it('with a call that has no result is refused as invalid', async () => {
    const toolCalls = [{ id: 'c', name: 'read_file', arguments: {} }]
    const messages = [
      { role: 'assistant' as const, content: '', toolCalls },
      { role: 'user' as const, content: 'Hi' },
    ]
    const { thrown } = await failure(models([completeAnswer]), ask('', { messages }))
    expect(thrown).toMatchObject({ kind: 'invalid', code: 'messages_invalid' })
  })
})

describe('a failing provider', () => {
  const error = { error: { message: `Bad thing for ${KEY}`, type: 'x' } }
  const tools = [tool('read_file')]
  const cases: [string, Reply, object][] = [
    ['HTTP 500', status(500, error), { reason: 'status', status: 500 }],
    ['HTTP 400', status(400, error), { reason: 'refused', status: 400 }],
    ['a redirect', status(307, {}, { location: 'http://127.0.0.1:1/' }), { reason: 'transport' }],
    ['a reset before the first byte', (res) => res.destroy(), { reason: 'transport' }],
    [
      'a chunk that is no JSON',
      events(...hello, 'data: {oops\n\n', chunk({}, 'stop')),
      { reason: 'unreadable' },
    ],
    ['a web page', (res) => res.writeHead(200).end('<html>'), { reason: 'unreadable' }],
    [
      'an error event',
      events(...hello, { error: { message: KEY, code: 502 } }),
      { reason: 'status', status: 502 },
    ],
  ]

  it.each(cases)('shows %s as provider_error without its key', async (_, reply, details) => {
    const { thrown } = await failure(models([reply]), ask('Hi', { tools }))
    expect(thrown).toMatchObject({ kind: 'unavailable', code: 'provider_error' })
    expect(thrown.details).toEqual({ provider: 'openrouter', ...details })
    expect(JSON.stringify([thrown.message, thrown.details, String(thrown.cause)])).not.toContain(KEY)
    expect(thrown.message.length).toBeLessThan(300)
  })

  it('cannot send the key elsewhere by a redirect', async () => {
    await failure(models([status(307, {}, { location: '/elsewhere' }), completeAnswer]), ask('Hi'))
    expect(wire().heard.map(({ path }) => path)).toEqual(['/api/v1/chat/completions'])
  })

  it('yields no tool call of an answer that was cut off', async () => {
    const call = {
      index: 0,
      id: 'c',
      type: 'function',
      function: { name: 'read_file', arguments: '{"path":"a"}' },
    }
    const { before } = await failure(models([events(chunk({ tool_calls: [call] }))]), ask('Hi', { tools }))
    expect(before).toEqual([])
  })

  it.each([
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1m' }, 60_000],
    [{}, undefined],
  ])('passes its 429 on with %j', async (headers, retryAfterMs) => {
    const { thrown } = await failure(models([status(429, error, headers)]), ask('Hi'))
    expect(thrown).toMatchObject({ kind: 'rate_limited', code: 'rate_limited', retryAfterMs })
    expect(thrown.message).not.toContain(KEY)
  })

  it.each([503, 529, 402])('passes on how long it asks to be left alone with %i', async (code) => {
    const { thrown } = await failure(models([status(code, error, { 'retry-after': '20' })]), ask('Hi'))
    expect(thrown).toMatchObject({ code: 'provider_error', retryAfterMs: 20_000 })
    expect(wire().heard).toHaveLength(1)
  })

  it('that does not know the model makes the name invalid', async () => {
    const reply = status(404, { error: { message: 'model "nope" not found' } })
    const { thrown } = await failure(models([reply]), ask('Hi', { model: 'nope' }))
    expect(thrown).toMatchObject({ kind: 'invalid', code: 'model_unknown' })
    expect(thrown.message).toContain('"nope"')
  })

  it('has a key that no header can hold kept out of the message', async () => {
    const providers = { openrouter: { apiKey: 'canary-one\ncanary-two', baseUrl: wire().origin } }
    const port = createModels({ settings: { providers, retries: 0 }, clock: createClock() })
    const { thrown } = await failure(port, ask('Hi'))
    expect(thrown).toMatchObject({ code: 'provider_error' })
    expect(thrown.message).not.toMatch(/canary/)
    expect(await port.health('openrouter')).toEqual({
      healthy: false,
      message: expect.not.stringMatching(/canary/),
    })
  })

  it('that falls silent is given up, though not while its reader pauses, and the connection closed', async () => {
    const clock = createFakeClock()
    const port = models([hang(...hello)], { silenceMs: 60_000 }, clock)
    const stream = port.step(ask('Hi'))[Symbol.asyncIterator]()
    expect(await stream.next()).toMatchObject({ value: { text: 'Hel' } })
    clock.advance(120_000)
    expect(await stream.next()).toMatchObject({ value: { text: 'lo' } })
    const silent = stream.next()
    let over = false
    silent.catch(() => {
      over = true
    })
    do await nextTurn()
    while (clock.pending === 0)
    expect(over).toBe(false)
    clock.advance(60_000)
    await expect(silent).rejects.toMatchObject({ code: 'provider_error', details: { reason: 'transport' } })
    await wire().heard[0]?.closed
  })
})

describe('leaving a step', () => {
  it.each<[string, Reply]>([
    ['before the provider answers', () => undefined],
    ['in the middle of the answer', hang(...hello)],
  ])('by its signal %s throws the reason and closes the connection', async (_, reply) => {
    const stop = new AbortController()
    const reason = new Error('Cancelled by its owner')
    const run = failure(models([reply]), ask('Hi', { signal: stop.signal }))
    while (wire().heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, 50))
    stop.abort(reason)
    expect((await run).thrown).toBe(reason)
    await wire().heard[0]?.closed
  })

  it('by breaking out of the loop closes the connection', async () => {
    for await (const part of models([hang(...hello)]).step(ask('Hi'))) if (part.type === 'text') break
    expect(wire().heard).toHaveLength(1)
    await wire().heard[0]?.closed
  })

  it('before it began makes no call', async () => {
    const reason = new Error('Too late')
    const { thrown } = await failure(
      models([completeAnswer]),
      ask('Hi', { signal: AbortSignal.abort(reason) }),
    )
    expect(thrown).toBe(reason)
    expect(wire().heard).toEqual([])
  })
})

describe('trying a step again', () => {
  it('happens after a fault before the first part, and the reader sees one answer', async () => {
    const { text } = await answer(
      models([(res) => res.destroy(), status(503, {}), completeAnswer], { retries: 2 }),
      ask('Hi'),
    )
    expect(text).toBe('Hello')
    expect(wire().heard).toHaveLength(3)
  })

  it('waits as long as a 429 asks for, when that is short', async () => {
    const limited = status(429, {}, { 'retry-after-ms': '20' })
    expect((await answer(models([limited, completeAnswer], { retries: 1 }), ask('Hi'))).text).toBe('Hello')
  })

  it.each<[string, Reply, number]>([
    ['once a part was handed on', reset(...hello), 1],
    ['after a refusal', status(400, {}), 1],
    ['after a 429 that asks for a long wait', status(429, {}, { 'retry-after': '60' }), 1],
    ['after a 503 that asks for a long wait', status(503, {}, { 'retry-after': '60' }), 1],
    ['more often than configured', status(500, {}), 2],
  ])('does not happen %s', async (_, reply, calls) => {
    await failure(models([reply, reply], { retries: 1 }), ask('Hi'))
    expect(wire().heard).toHaveLength(calls)
  })

  it('ends with the signal, whose reason is thrown', async () => {
    const reason = new Error('Cancelled')
    const stop = new AbortController()
    const clock = createFakeClock()
    const run = failure(models([status(500, {})], { retries: 2 }, clock), ask('Hi', { signal: stop.signal }))
    while (wire().heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await wire().heard[0]?.closed
    await new Promise((resolve) => setTimeout(resolve, 50))
    stop.abort(reason)
    expect((await run).thrown).toBe(reason)
    expect(clock.pending).toBe(0)
  })
})
