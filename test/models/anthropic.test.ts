import { describe, expect, it } from '@jest/globals'
import { createModels } from '../../lib/adapters/models/models.ts'
import type { ProviderSettings } from '../../lib/adapters/models/resolve.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import type { PriceCall } from '../../lib/ports/prices.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { answer, ask, failure, tool } from '../fakes/model-steps.ts'
import { events, type Reply, reset, startWire, status } from '../fakes/model-wire.ts'

const KEY = 'sk-ant-planted-canary-0123456789'
const start = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 11, output_tokens: 1 },
  },
}
const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const textBlock = (index: number, text: string) =>
  block(index, { type: 'text', text: '' }, { type: 'text_delta', text })
const thinking = block(
  0,
  { type: 'thinking', thinking: '', signature: '' },
  { type: 'thinking_delta', thinking: 'I should look.' },
  { type: 'signature_delta', signature: 'c2lnbmVk' },
)
const toolUse = block(
  2,
  { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} },
  { type: 'input_json_delta', partial_json: '{"path":' },
  { type: 'input_json_delta', partial_json: '"a.txt"}' },
)
const stop = (stop_reason: string) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]
const plain = events(start, ...textBlock(0, 'Hello'), ...stop('end_turn'))
const working = events(start, ...thinking, ...textBlock(1, 'Looking.'), ...toolUse, ...stop('tool_use'))

const wire = forEachTest(startWire, ({ close }) => close())

const models = (...replies: Reply[]) => anthropicModels({}, ...replies)
const anthropicModels = (more: Partial<ProviderSettings>, ...replies: Reply[]) => {
  wire().replies.push(...replies)
  const anthropic = { apiKey: KEY, baseUrl: wire().origin, ...more }
  return createModels({ settings: { providers: { anthropic }, retries: 0 }, clock: createClock() })
}

describe('a step over the Anthropic messages wire', () => {
  it('streams text and counts tokens', async () => {
    const { text, finish } = await answer(models(plain), ask('Hi'))
    expect(text).toBe('Hello')
    expect(finish).toMatchObject({
      reason: 'stop',
      provider: 'anthropic',
      usage: { promptTokens: 11, completionTokens: 9, totalTokens: 20 },
    })
  })

  it.each<[string, object, object]>([
    ['input and output', {}, { usd: 20, source: 'price' }],
    ['the cached part apart', { cache_read_input_tokens: 100 }, { usd: 30, source: 'price' }],
    ['what is written to the cache', { cache_creation_input_tokens: 100 }, { usd: 220, source: 'price' }],
  ])('costs what its disjoint counts cost: %s', async (_title, cached, cost) => {
    const counted = { ...start, message: { ...start.message, usage: { ...start.message.usage, ...cached } } }
    wire().replies.push(events(counted, ...textBlock(0, 'Hello'), ...stop('end_turn')))
    const price: PriceCall = ({ provider, usage: { input, cachedInput, cacheWrites, output } }) =>
      provider === 'anthropic' ? input + cachedInput / 10 + cacheWrites * 2 + output : null
    const anthropic = { apiKey: KEY, baseUrl: wire().origin }
    const priced = createModels({
      settings: { providers: { anthropic }, retries: 0 },
      clock: createClock(),
      prices: { load: async () => price },
    })
    const { finish } = await answer(priced, ask('Hi'))
    expect(finish.usage.cost).toEqual(cost)
  })

  it('costs an unknown sum without prices', async () => {
    const { finish } = await answer(models(plain), ask('Hi'))
    expect(finish.usage.cost).toEqual({ usd: null, source: 'unknown' })
  })

  it('sends key, version and output limit to the API below a bare host name', async () => {
    await answer(models(plain), ask('Hi', { maxOutputTokens: 77 }))
    expect(wire().heard[0]).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
      body: { model: 'claude-sonnet-5', max_tokens: 77, stream: true },
    })
  })

  it.each([
    [undefined, 16_384],
    [65_536, 16_384],
    [8_000, 2_000],
  ])('limits the output to a part of a small window: of %s tokens to %d', async (contextTokens, limit) => {
    await answer(anthropicModels(contextTokens ? { contextTokens } : {}, plain), ask('Hi'))
    expect(wire().heard[0]?.body).toMatchObject({ max_tokens: limit })
  })

  it('turns effort into thinking', async () => {
    await answer(models(plain), ask('Hi', { effort: 'high' }))
    expect(wire().heard[0]?.body).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    })
  })

  it('streams thinking, text and the tool call', async () => {
    const request = ask('Hi', { tools: [tool('read_file')] })
    const { text, reasoning, finish } = await answer(models(working), request)
    expect([text, reasoning]).toEqual(['Looking.', 'I should look.'])
    expect(finish).toMatchObject({
      reason: 'tool-calls',
      message: {
        content: 'Looking.',
        toolCalls: [{ id: 'toolu_1', name: 'read_file', arguments: { path: 'a.txt' } }],
      },
    })
  })

  it('hands on no delta that is empty, such as that of a signature', async () => {
    const { parts } = await answer(models(working), ask('Hi', { tools: [tool('read_file')] }))
    expect(parts.slice(0, -1)).toEqual([
      { type: 'reasoning', text: 'I should look.' },
      { type: 'text', text: 'Looking.' },
      { type: 'tool-call', call: expect.objectContaining({ name: 'read_file' }) },
    ])
  })

  it('hands signed thinking back as it came, before the result of the call', async () => {
    const port = models(working, plain)
    const tools = [tool('read_file')]
    const { finish } = await answer(port, ask('Hi', { tools }))
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'Hi' },
      JSON.parse(JSON.stringify(finish.message)),
      { role: 'tool' as const, callId: 'toolu_1', name: 'read_file', content: 'gone', failed: true },
    ]
    await answer(port, ask('', { tools, messages }))
    const { body } = wire().heard[1] ?? {}
    expect(body.system).toEqual([{ type: 'text', text: 'Be brief.' }])
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I should look.', signature: 'c2lnbmVk' },
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a.txt' } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'gone', is_error: true }],
      },
    ])
  })
})

describe('a failing Anthropic wire', () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: `Overloaded ${KEY}` } }
  const begun = [start, ...textBlock(0, 'Hel')]

  it.each<[string, Reply, object]>([
    ['a stream that ends in the middle', events(...begun), { reason: 'transport' }],
    ['a stream that ends before any text', events(start), { reason: 'transport' }],
    ['a reset in the middle', reset(...begun), { reason: 'transport' }],
    ['overloaded_error in the middle', events(...begun, overloaded), { reason: 'status', status: 529 }],
    ['overloaded_error at once', events(overloaded), { reason: 'status', status: 529 }],
    ['HTTP 529', status(529, overloaded), { reason: 'status', status: 529 }],
    ['HTTP 500', status(500, {}), { reason: 'status', status: 500 }],
    ['HTTP 401', status(401, overloaded), { reason: 'refused', status: 401 }],
    ['an event that is no JSON', events(...begun, 'data: {oops\n\n'), { reason: 'unreadable' }],
  ])('shows %s as provider_error without its key', async (_, reply, details) => {
    const { thrown } = await failure(models(reply), ask('Hi'))
    expect(thrown).toMatchObject({ kind: 'unavailable', code: 'provider_error' })
    expect(thrown.details).toEqual({ provider: 'anthropic', ...details })
    expect(thrown.message).not.toContain(KEY)
  })

  it('yields no tool call of an answer that was cut off after it', async () => {
    const cut = events(start, ...textBlock(1, 'Looking.'), ...toolUse)
    const { before } = await failure(models(cut), ask('Hi', { tools: [tool('read_file')] }))
    expect(before).toEqual([{ type: 'text', text: 'Looking.' }])
  })

  it('passes a 429 on with the wait that it asks for', async () => {
    const { thrown } = await failure(models(status(429, {}, { 'retry-after': '7' })), ask('Hi'))
    expect(thrown).toMatchObject({ kind: 'rate_limited', code: 'rate_limited', retryAfterMs: 7_000 })
  })

  it('passes a rate limit inside the stream on as one', async () => {
    const limited = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } }
    const { thrown } = await failure(models(events(...begun, limited)), ask('Hi'))
    expect(thrown).toMatchObject({ kind: 'rate_limited', code: 'rate_limited' })
  })
})
