import { describe, expect, it } from '@jest/globals'
import { createModels } from '../../lib/adapters/models/models.ts'
import type { ModelSettings, ProviderSettings } from '../../lib/adapters/models/resolve.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { answer, ask, failure, tool } from '../fakes/model-steps.ts'
import { chunk, DONE, events, type Reply, reset, startWire, status, usage } from '../fakes/model-wire.ts'

const KEY = 'sk-planted-canary-0123456789'
const CALL = 'call00001'
const INPUT = '{"path":"a.txt"}'

/** What a wire sends, event by event, and what it is sent after a tool was called. */
type Script = {
  begun: readonly object[]
  whole: readonly unknown[]
  /** Ended by the limit of output. */
  long: readonly unknown[]
  called: readonly object[]
  calledWhole: readonly unknown[]
  /** The call and its result, as the next request carries them. */
  carried: readonly object[]
}

/** Chat completions; where they tell the usage differs. */
const chatScript = (ended: (reason: string) => object[]): Script => ({
  begun: [chunk({ role: 'assistant', content: 'Hel' }), chunk({ content: 'lo' })],
  whole: [...ended('stop'), DONE],
  long: [...ended('length'), DONE],
  called: [
    chunk({
      role: 'assistant',
      content: null,
      tool_calls: [
        { index: 0, id: CALL, type: 'function', function: { name: 'read_file', arguments: '{"path":' } },
      ],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"a.txt"}' } }] }),
  ],
  calledWhole: [...ended('tool_calls'), DONE],
  carried: [
    { tool_calls: [{ id: CALL, function: { name: 'read_file', arguments: INPUT } }] },
    { role: 'tool', tool_call_id: CALL, content: 'It is A!' },
  ],
})
const { usage: counted } = usage(7, 2)
/** As OpenAI does: in a chunk of its own, when asked to. */
const chat = chatScript((reason) => [chunk({}, reason), usage(7, 2)])
const inLastChunk = chatScript((reason) => [{ ...chunk({}, reason), usage: counted }])
const inGroqsOwn = chatScript((reason) => [{ ...chunk({}, reason), x_groq: { id: 'r1', usage: counted } }])

const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] }
const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] }
const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const spent = { usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 } }
const callItem = { id: 'fc_1', type: 'function_call', name: 'read_file', call_id: CALL }
const ofCall = { item_id: 'fc_1', output_index: 0 }

const responses: Script = {
  begun: [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_text.delta', ...at, delta: 'Hel' },
    { type: 'response.output_text.delta', ...at, delta: 'lo' },
  ],
  whole: [
    { type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed' } },
    { type: 'response.completed', response: { ...response, status: 'completed', ...spent } },
  ],
  long: [
    { type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'incomplete' } },
    {
      type: 'response.incomplete',
      response: {
        ...response,
        ...spent,
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      },
    },
  ],
  called: [
    { type: 'response.created', response },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...callItem, arguments: '', status: 'in_progress' },
    },
    { type: 'response.function_call_arguments.delta', ...ofCall, delta: INPUT },
    { type: 'response.function_call_arguments.done', ...ofCall, arguments: INPUT },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...callItem, arguments: INPUT, status: 'completed' },
    },
  ],
  calledWhole: [{ type: 'response.completed', response: { ...response, status: 'completed', ...spent } }],
  carried: [
    { type: 'function_call', call_id: CALL, name: 'read_file', arguments: INPUT },
    { type: 'function_call_output', call_id: CALL, output: 'It is A!' },
  ],
}

const content = (type: string, text: object) => ({ type, index: 0, delta: { message: { content: text } } })
const ended = (finish_reason: string) => ({
  type: 'message-end',
  delta: { finish_reason, usage: { tokens: { input_tokens: 7, output_tokens: 2 } } },
})
const toolCall = (type: string, call: object) => ({
  type,
  index: 0,
  delta: { message: { tool_calls: call } },
})

const cohere: Script = {
  begun: [
    { type: 'message-start', id: 'm1' },
    content('content-start', { type: 'text', text: '' }),
    content('content-delta', { text: 'Hel' }),
    content('content-delta', { text: 'lo' }),
  ],
  whole: [{ type: 'content-end', index: 0 }, ended('COMPLETE')],
  long: [{ type: 'content-end', index: 0 }, ended('MAX_TOKENS')],
  called: [
    { type: 'message-start', id: 'm1' },
    { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I look.' } } },
    toolCall('tool-call-start', {
      id: CALL,
      type: 'function',
      function: { name: 'read_file', arguments: '' },
    }),
    toolCall('tool-call-delta', { function: { arguments: INPUT } }),
    { type: 'tool-call-end', index: 0 },
  ],
  calledWhole: [ended('TOOL_CALL')],
  carried: [
    { tool_calls: [{ id: CALL, function: { name: 'read_file', arguments: INPUT } }] },
    { role: 'tool', tool_call_id: CALL, content: 'It is A!' },
  ],
}

type Kind = {
  kind: string
  script: Script
  /** What is set beside the key; the vendor's own host is diverted to the fake one. */
  settings: (origin: string) => ProviderSettings
  path: string
  key?: readonly [header: string, value: string]
}

const below = (path: string) => (origin: string) => ({ baseUrl: `${origin}${path}`, model: 'm' })
const bearing = ['authorization', `Bearer ${KEY}`] as const

const overChat = (kind: string, base = '/v1', more: Partial<Kind> = {}): Kind => ({
  kind,
  script: chat,
  settings: below(base),
  path: `${base}/chat/completions`,
  ...more,
})

const kinds: Kind[] = [
  overChat('openai', '/proxy'),
  overChat('azure', '/proxy', { key: ['api-key', KEY] }),
  overChat('ollama'),
  overChat('openrouter', '/api/v1'),
  overChat('groq', '/openai/v1', { script: inGroqsOwn }),
  overChat('mistral', '/v1', { script: inLastChunk }),
  overChat('perplexity', '/p', { script: inLastChunk }),
  overChat('deepseek', '/d'),
  overChat('together'),
  overChat('cerebras', '/v1', { script: inLastChunk }),
  overChat('fireworks', '/inference/v1'),
  { kind: 'openai', script: responses, settings: () => ({ model: 'm' }), path: '/v1/responses' },
  {
    kind: 'azure',
    script: responses,
    settings: () => ({ model: 'm', baseUrl: 'https://mine.openai.azure.com' }),
    path: '/openai/v1/responses',
    key: ['api-key', KEY],
  },
  { kind: 'xai', script: responses, settings: below('/v1'), path: '/v1/responses' },
  { kind: 'cohere', script: cohere, settings: below('/v2'), path: '/v2/chat' },
]

const wire = forEachTest(startWire, ({ close }) => close())

/** Sends calls of a vendor's own host to the fake. */
const diverted: typeof fetch = (input, init) => {
  const { pathname, search, protocol } = new URL(String(input))
  return fetch(protocol === 'https:' ? `${wire().origin}${pathname}${search}` : input, init)
}

const models = ({ kind, settings }: Kind, replies: Reply[], more: Partial<ModelSettings> = {}) => {
  wire().replies.push(...replies)
  const providers = { [kind]: { apiKey: KEY, ...settings(wire().origin) } }
  return createModels({
    settings: { providers, retries: 0, ...more },
    clock: createClock(),
    fetch: diverted,
  })
}

const named = kinds.map((each) => [each.kind, each.path, each] as const)
const withTools = named.filter(([kind]) => kind !== 'perplexity')

describe.each(named)('a provider of kind %s at %s', (kind, path, each) => {
  const { script, key = bearing } = each
  const completeAnswer = events(...script.begun, ...script.whole)

  it('streams text, and finishes with reason, usage and message', async () => {
    const { parts } = await answer(models(each, [completeAnswer]), ask('Hi'))
    expect(parts).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      {
        type: 'finish',
        reason: 'stop',
        usage: {
          promptTokens: 7,
          completionTokens: 2,
          totalTokens: 9,
          cost: { usd: null, source: 'unknown' },
        },
        message: { role: 'assistant', content: 'Hello', opaque: expect.anything() },
        provider: kind,
        model: 'm',
      },
    ])
  })

  it('is sent its model and its key, in a header', async () => {
    await answer(models(each, [completeAnswer]), ask('Hi'))
    expect(wire().heard).toMatchObject([{ method: 'POST', path, body: { model: 'm', stream: true } }])
    expect(wire().heard[0]?.headers[key[0]]).toBe(key[1])
  })

  it('says that it was stopped by the limit of output', async () => {
    const { text, finish } = await answer(models(each, [events(...script.begun, ...script.long)]), ask('Hi'))
    expect([text, finish.reason]).toEqual(['Hello', 'length'])
  })

  const error = { error: { message: `Bad thing for ${KEY}`, type: 'x' }, message: 'Bad thing' }
  it.each<[string, Reply, object]>([
    ['HTTP 401', status(401, error), { reason: 'refused', status: 401 }],
    ['HTTP 500', status(500, error), { reason: 'status', status: 500 }],
    ['a stream that ends in the middle', events(...script.begun), { reason: 'transport' }],
    ['a reset in the middle', reset(...script.begun), { reason: 'transport' }],
  ])('that answers %s is shown as provider_error without its key', async (_, reply, details) => {
    const { thrown } = await failure(models(each, [reply]), ask('Hi'))
    expect(thrown).toMatchObject({ kind: 'unavailable', code: 'provider_error' })
    expect(thrown.details).toEqual({ provider: kind, ...details })
    expect(thrown.message).not.toContain(KEY)
  })

  it.each<[string, unknown]>([
    ['an error', { error: { message: `Bad thing for ${KEY}`, type: 'server_error', code: 500 } }],
    ['another error', { type: 'error', code: 'server_error', message: `Bad thing for ${KEY}` }],
    ['what is no JSON', 'data: {oops\n\n'],
  ])('that sends %s in the middle, and then its end, has failed', async (_, event) => {
    const reply = events(...script.begun, event, ...script.whole)
    const { before, thrown } = await failure(models(each, [reply]), ask('Hi'))
    expect(before.every(({ type }) => type === 'text')).toBe(true)
    expect(thrown).toMatchObject({ kind: 'unavailable', code: 'provider_error' })
    expect(thrown.message).not.toContain(KEY)
  })

  it('that limits the rate says how long', async () => {
    const { thrown } = await failure(models(each, [status(429, error, { 'retry-after': '7' })]), ask('Hi'))
    expect(thrown).toMatchObject({ kind: 'rate_limited', code: 'rate_limited', retryAfterMs: 7_000 })
  })
})

describe.each(withTools)('tools of a provider of kind %s at %s', (_kind, _path, each) => {
  const { script } = each

  it('are called, and their results go back with the call, also after a round trip through JSON', async () => {
    const port = models(each, [
      events(...script.called, ...script.calledWhole),
      events(...script.begun, ...script.whole),
    ])
    const tools = [tool('read_file')]
    const { finish } = await answer(port, ask('Hi', { tools }))
    const call = { id: CALL, name: 'read_file', arguments: { path: 'a.txt' } }
    expect(finish).toMatchObject({ reason: 'tool-calls', message: { toolCalls: [call] } })
    expect(JSON.stringify(wire().heard[0]?.body.tools)).toContain('read_file')
    const result = { role: 'tool' as const, callId: CALL, name: 'read_file', failed: false }
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      JSON.parse(JSON.stringify(finish.message)),
      { ...result, content: 'It is A!' },
    ]
    expect((await answer(port, ask('', { tools, messages }))).text).toBe('Hello')
    const { body } = wire().heard[1] ?? {}
    const carried: object[] = (body.messages ?? body.input).filter(
      ({ tool_calls, role, type }: { tool_calls?: object; role?: string; type?: string }) =>
        tool_calls !== undefined || role === 'tool' || type?.startsWith('function_call'),
    )
    expect(carried).toMatchObject(script.carried)
  })

  it('are offered and may not be called where the request says so', async () => {
    const port = models(each, [events(...script.begun, ...script.whole)])
    await answer(port, ask('Hi', { tools: [tool('read_file')], toolChoice: 'none' }))
    const { body } = wire().heard[0] ?? {}
    expect(JSON.stringify(body.tools)).toContain('read_file')
    const { type, mode } = body.tool_choice ?? body.toolConfig?.functionCallingConfig ?? {}
    expect(String(type ?? mode ?? body.tool_choice).toLowerCase()).toBe('none')
  })

  it('are not called by an answer that was cut off', async () => {
    const cut = script.called.slice(0, -2)
    const { before } = await failure(
      models(each, [events(...cut)]),
      ask('Hi', { tools: [tool('read_file')] }),
    )
    expect(before).toEqual([])
  })
})

describe('the usage', () => {
  const asked = named.filter(([, , { script }]) => script === chat)
  it.each(asked)('is asked for by %s at %s, which tells none otherwise', async (_kind, _path, each) => {
    await answer(models(each, [events(...chat.begun, ...chat.whole)]), ask('Hi'))
    expect(wire().heard[0]?.body.stream_options).toEqual({ include_usage: true })
  })
})

describe('the Responses API', () => {
  const spoken = named.filter(([, , { script }]) => script === responses)
  it.each(spoken)('of %s at %s is told to keep nothing', async (_kind, _path, each) => {
    await answer(
      models(each, [events(...responses.begun, ...responses.whole)]),
      ask('Hi', { effort: 'high' }),
    )
    expect(wire().heard[0]?.body).toMatchObject({ store: false })
  })
})

describe('Perplexity', () => {
  const each = kinds.find(({ kind }) => kind === 'perplexity') as Kind

  it.each([
    ['tools', { tools: [tool('read_file')] }],
    [
      'results of tools',
      {
        messages: [
          { role: 'assistant' as const, content: '', toolCalls: [{ id: 'c', name: 't', arguments: {} }] },
          { role: 'tool' as const, callId: 'c', name: 't', content: '', failed: false },
        ],
      },
    ],
  ])('is given no %s: they would be left out', async (_, more) => {
    const { thrown } = await failure(models(each, []), ask('Hi', more))
    expect(thrown).toMatchObject({ kind: 'invalid', code: 'tools_unsupported' })
    expect(wire().heard).toEqual([])
  })
})

describe('the id of a tool call that another provider gave', () => {
  it.each([
    ['mistral', 'toolu_01:x', expect.stringMatching(/^[a-zA-Z0-9]{9}$/)],
    ['mistral', 'abcDEF123', 'abcDEF123'],
    ['groq', 'toolu_01:x', 'toolu_01:x'],
  ])('is fit for %s: %s', async (kind, id, sent) => {
    const each = kinds.find((one) => one.kind === kind) as Kind
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: '', toolCalls: [{ id, name: 'read_file', arguments: {} }] },
      { role: 'tool' as const, callId: id, name: 'read_file', content: 'A', failed: false },
    ]
    await answer(models(each, [events(...each.script.begun, ...each.script.whole)]), ask('', { messages }))
    const [, assistant, result] = wire().heard[0]?.body.messages ?? []
    expect(assistant.tool_calls[0].id).toEqual(sent)
    expect(result.tool_call_id).toBe(assistant.tool_calls[0].id)
  })
})
