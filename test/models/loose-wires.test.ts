import { describe, expect, it } from '@jest/globals'
import { createModels } from '../../lib/adapters/models/models.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { answeringFetch, frames } from '../fakes/answering-fetch.ts'
import { answer, ask, failure, tool } from '../fakes/model-steps.ts'
import { chunk, DONE, usage } from '../fakes/model-wire.ts'

type Sent = Parameters<typeof answeringFetch>[1]

const models = (kind: string, body: string, sent: Sent = {}) =>
  createModels({
    settings: {
      providers: { [kind]: { apiKey: 'planted-key', baseUrl: 'http://provider.test/v1', model: 'm' } },
      retries: 0,
    },
    clock: createClock(),
    fetch: answeringFetch(() => [body], sent).fetch,
  })

const request = ask('Hi', { tools: [tool('read_file')] })
const saidBy = async (kind: string, body: string, sent?: Sent) => {
  const { text, reasoning, finish } = await answer(models(kind, body, sent), request)
  return { text, reasoning, finish }
}

const hello = [chunk({ role: 'assistant', content: 'Hel' }), chunk({ content: 'lo' })]
const stop = chunk({}, 'stop')
/** A chunk with other fields than those that a chunk of the API has. */
const changed = (delta: object, choice = {}, more = {}) => ({
  ...chunk({}),
  choices: [{ index: 0, delta, ...choice }],
  ...more,
})
const completionJson = {
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
}

/** Answers of servers that speak chat completions with an accent: all say "Hello". */
const chats: [string, string, Sent?][] = [
  ['a last chunk of usage without choices', frames(...hello, stop, { usage: usage(7, 2).usage }, DONE)],
  [
    'a last chunk of usage with `choices: null`',
    frames(...hello, stop, { ...usage(7, 2), choices: null }, DONE),
  ],
  ['a chunk of an unknown object', frames(...hello, { object: 'chat.note', text: 1 }, stop, DONE)],
  ['values that are no objects', frames(...hello, 'data: null\n\ndata: 5\n\n', stop, DONE)],
  ['comments, empty data and other fields', frames(':\n\n', ...hello, 'data:\n\nretry: x\n\nfoo\n\n', stop)],
  [
    'signs of life that are no JSON',
    frames(hello[0], 'event: ping\ndata: keepalive\n\n', 'data: ping\n\n', hello[1], stop),
  ],
  ['a page after its end', frames(...hello, stop, DONE, 'data: <html>\n\n')],
  ['another case of [DONE]', frames(...hello, 'data: [done]\n\n')],
  ['lines that end in CRLF', frames(...hello, stop).replaceAll('\n', '\r\n')],
  ['no empty line at the end', frames(...hello, stop).trimEnd()],
  ['another role', frames(changed({ role: 'model', content: 'Hello' }), stop)],
  ['no role and a null in each field', frames(changed({ content: 'Hello', tool_calls: null }), stop)],
  ['content as parts', frames(changed({ content: [{ type: 'text', text: 'Hello' }] }), stop)],
  ['a delta that is null at the end', frames(...hello, changed(null as never, { finish_reason: 'stop' }))],
  [
    'an empty `finish_reason` until the end',
    frames(changed({ content: 'Hello' }, { finish_reason: '' }), stop),
  ],
  ['usage that is no number', frames(...hello, stop, { ...usage(7, 2), usage: { prompt_tokens: 'x' } })],
  ['errors that are null', frames({ ...chunk({ content: 'Hello' }), error: null }, stop)],
  ['other types of known fields', frames(changed({ content: 'Hello', refusal: false, reasoning: {} }), stop)],
  ['another content type', frames(...hello, stop), { headers: { 'content-type': 'application/json' } }],
  [
    'the whole answer as JSON',
    JSON.stringify(completionJson),
    { headers: { 'content-type': 'application/json' } },
  ],
  ['no reason of its end but [DONE]', frames(...hello, DONE)],
  ['another name of the reason of its end', frames(...hello, chunk({}, 'END_TURN'))],
  ['texts as indices', frames(...hello, changed({}, { index: '0', finish_reason: 'stop' }))],
  ['all of its chunks in one list', JSON.stringify([...hello, stop])],
  ['a choice of another index', frames(...hello, changed({ content: 'No' }, { index: 1 }), stop)],
]
const KINDS = ['openai', 'openrouter', 'groq', 'mistral', 'perplexity', 'deepseek', 'cerebras']

describe.each(KINDS)('an answer over chat completions to %s', (kind) => {
  const plain = kind === 'perplexity' ? ask('Hi') : request

  it.each(chats)('with %s is read', async (...[, body, sent]) => {
    const { text, finish } = await answer(models(kind, body, sent), plain)
    expect([text, finish.reason, finish.message.content]).toEqual(['Hello', 'stop', 'Hello'])
  })
})

describe('tool calls over chat completions', () => {
  const called = (call: object) => frames(changed({ tool_calls: [call] }), chunk({}, 'tool_calls'))
  const readFileCall = { name: 'read_file', arguments: '{"path":"a"}' }

  it.each<[string, object]>([
    ['no index', { id: 'c1', type: 'function', function: readFileCall }],
    [
      'arguments as an object',
      { index: 0, id: 'c1', function: { ...readFileCall, arguments: { path: 'a' } } },
    ],
    ['a number as the id', { index: 0, id: 7, function: readFileCall }],
    ['another type', { index: 0, id: 'c1', type: 'tool', function: readFileCall }],
  ])('with %s are read', async (_, call) => {
    for (const kind of ['openai', 'openrouter', 'mistral', 'groq'])
      expect((await saidBy(kind, called(call))).finish.message.toolCalls).toMatchObject([
        { name: 'read_file', arguments: { path: 'a' } },
      ])
  })

  it('of Mistral keep its thinking apart', async () => {
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Hello' },
      { type: 'new_part', x: 1 },
    ]
    expect(await saidBy('mistral', frames(changed({ content: parts }), stop))).toMatchObject({
      text: 'Hello',
      reasoning: 'Hm.',
    })
  })
})

const start = { type: 'message_start', message: { id: 'm', usage: { input_tokens: 11, output_tokens: 1 } } }
const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const said = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hello' })
const end = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]

describe('an answer over Anthropic messages', () => {
  it.each<[string, string]>([
    ['an unknown event', frames(start, { type: 'message_note', x: 1 }, ...said, ...end)],
    ['a ping of `{}`', frames(start, 'event: ping\ndata: {}\n\n', ...said, ...end)],
    ['a ping of nothing', frames(start, 'event: ping\ndata:\n\n', ...said, ...end)],
    [
      'an unknown delta',
      frames(start, ...block(0, { type: 'text', text: 'Hello' }, { type: 'new_delta', x: 1 }), ...end),
    ],
    [
      'an unknown block and its deltas',
      frames(start, ...block(0, { type: 'hologram' }, { type: 'text_delta', text: 'No' }), ...said, ...end),
    ],
    ['the type only as the name of the event', frames('event: message_start\ndata: {}\n\n', ...said, ...end)],
    [
      'neither usage nor a reason of its end',
      frames({ type: 'message_start', message: {} }, ...said, ...end.map(({ type }) => ({ type }))),
    ],
    [
      'citations',
      frames(
        start,
        ...block(
          0,
          { type: 'text', text: '', citations: null },
          { type: 'text_delta', text: 'Hello' },
          { type: 'citations_delta', citation: { type: 'new_location' } },
        ),
        ...end,
      ),
    ],
    [
      'the whole answer as JSON',
      JSON.stringify({
        type: 'message',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
      }),
    ],
    ['a ping of words', frames(start, 'event: ping\ndata: still here\n\n', ...said, ...end)],
    ['no beginning of its block', frames(start, said[1], ...end)],
    ['no `message_stop`', frames(start, ...said, end[0])],
    ['[DONE] in place of `message_stop`', frames(start, ...said, end[0], DONE)],
    ['[DONE] before `message_stop`', frames(start, ...said, end[0], DONE, end[1])],
    ['no `message_delta`', frames(start, ...said, { type: 'message_stop' })],
    [
      'a reason of its end that is null',
      frames(start, ...said, { type: 'message_delta', delta: { stop_reason: null } }, end[1]),
    ],
  ])('with %s is read', async (_, body) => {
    expect((await saidBy('anthropic', body)).text).toBe('Hello')
  })

  it('with the input of a call at its beginning is read', async () => {
    const call = { type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a' } }
    const { finish } = await saidBy('anthropic', frames(start, ...block(0, call), ...end))
    expect(finish.message.toolCalls).toEqual([{ id: 'c1', name: 'read_file', arguments: { path: 'a' } }])
  })
})

const item = { id: 'msg_1', type: 'message', role: 'assistant' }
const responded = [
  { type: 'response.created', response: { id: 'r', new_field: {} } },
  { type: 'response.output_item.added', output_index: 0, item },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Hello' },
  { type: 'response.output_item.done', output_index: 0, item },
]
const completed = { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1 } } }

describe('an answer over the Responses API', () => {
  it.each<[string, string]>([
    ['an unknown event', frames(...responded, { type: 'response.note', x: 1 }, completed)],
    [
      'an unknown item',
      frames(...responded, { type: 'response.output_item.done', item: { type: 'hologram' } }, completed),
    ],
    [
      'the whole answer as JSON',
      JSON.stringify({
        object: 'response',
        status: 'completed',
        error: null,
        output: [{ ...item, content: [{ type: 'output_text', text: 'Hello' }] }],
      }),
    ],
    ['a ping of words', frames(...responded, 'event: ping\ndata: still here\n\n', completed)],
    ['an event without a type', frames({ x: 1 }, ...responded, completed)],
    ['no usage', frames(...responded, { type: 'response.completed', response: {} })],
  ])('with %s is read', async (_, body) => {
    expect((await saidBy('xai', body)).text).toBe('Hello')
  })
})

const candidate = (parts: unknown, more = {}) => ({ candidates: [{ content: { parts }, ...more }] })

describe('an answer of Gemini', () => {
  it.each<[string, string]>([
    ['an unknown part', frames(candidate([{ hologram: {} }, { text: 'Hello' }], { finishReason: 'STOP' }))],
    [
      'no parts at the end',
      frames(candidate([{ text: 'Hello' }]), candidate(null, { finishReason: 'STOP' })),
    ],
    [
      'unknown fields of known types',
      frames({
        ...candidate([{ text: 'Hello' }], { finishReason: 'STOP', safetyRatings: 'x' }),
        usageMetadata: 1,
      }),
    ],
  ])('with %s is read', async (_, body) => {
    expect((await saidBy('google', body)).text).toBe('Hello')
  })
})

describe('the end of an answer', () => {
  const called = block(0, { type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a' } })
  const ended = (stop_reason: string) => [{ type: 'message_delta', delta: { stop_reason } }, end[1] ?? {}]
  const incomplete = (reason: string) => ({
    type: 'response.incomplete',
    response: { incomplete_details: { reason } },
  })
  const cohere = (finish_reason: unknown) =>
    frames(
      { type: 'message-start', id: 'm' },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hello' } } } },
      { type: 'content-end', index: 0 },
      { type: 'message-end', delta: { finish_reason } },
    )
  it.each<[string, string, string, string]>([
    ['anthropic', 'no reason', frames(start, ...said, end[1]), 'stop'],
    ['anthropic', 'no reason after a call', frames(start, ...called, end[1]), 'tool-calls'],
    ['anthropic', 'a new reason', frames(start, ...said, ...ended('new_reason')), 'other'],
    ['openai', 'a new reason', frames(...hello, chunk({}, 'new_reason'), DONE), 'other'],
    ['mistral', 'a new reason', frames(...hello, chunk({}, 'new_reason'), DONE), 'other'],
    ['xai', 'a new reason', frames(...responded, incomplete('new_reason')), 'other'],
    ['google', 'a new reason', frames(candidate([{ text: 'Hello' }], { finishReason: 'NEW' })), 'other'],
    ['cohere', 'a new reason', cohere('NEW'), 'other'],
    ['cohere', 'no reason', cohere(undefined), 'other'],
  ])('of %s with %s keeps the answer', async (...[kind, , body, reason]) => {
    const { finish } = await saidBy(kind, body)
    const { content, toolCalls } = finish.message
    expect([finish.reason, content || toolCalls]).toEqual([
      reason,
      reason === 'tool-calls' ? [{ id: 'c1', name: 'read_file', arguments: { path: 'a' } }] : 'Hello',
    ])
  })
})

describe('a malformed call of Gemini', () => {
  const malformed = (finishMessage?: string) =>
    frames(
      candidate([{ text: 'I look.' }]),
      candidate(null, { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }),
    )

  it.each<[string | undefined, string]>([
    ["Malformed function call: print(default_api.read_file(path='a'))", 'read_file'],
    ['Malformed function call: call:default_api:read_file{path:a}', 'read_file'],
    ['Malformed function call: no_such_tool()', 'unknown'],
    [undefined, 'unknown'],
  ])('%s is one of a tool, with its words as arguments', async (quoted, name) => {
    const { text, finish } = await saidBy('google', malformed(quoted))
    expect([text, finish.reason]).toEqual(['I look.', 'tool-calls'])
    expect(finish.message).toEqual({
      role: 'assistant',
      content: 'I look.',
      toolCalls: [{ id: expect.any(String), name, arguments: quoted ?? 'Malformed function call' }],
    })
  })

  it('is an error in its own words where no tools were given', async () => {
    const quoted = 'Malformed function call: print(1)'
    const { thrown } = await failure(models('google', malformed(quoted)), ask('Hi'))
    expect(thrown).toMatchObject({
      details: { reason: 'unreadable' },
      message: `Google Gemini ended its response with an error: ${quoted}`,
    })
  })
})

describe('an answer of Cohere', () => {
  it('with unknown events and citations is read', async () => {
    const content = (type: string, text: object) => ({
      type,
      index: 0,
      delta: { message: { content: text } },
    })
    const body = frames(
      { type: 'message-start', id: 'm' },
      { type: 'debug', x: 1 },
      content('content-start', { type: 'text', text: '' }),
      content('content-delta', { text: 'Hello' }),
      { type: 'citation-start', index: 0, delta: { message: { citations: {} } } },
      { type: 'content-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
    )
    expect((await saidBy('cohere', body)).text).toBe('Hello')
  })
})

/** An emoji whose two halves come in two events; `JSON.stringify` escapes each. */
const halves = ['a\ud83d', '\ude00b']

describe('a character that is split over two events', () => {
  it.each<[string, string]>([
    ['openai', frames(...halves.map((content) => chunk({ content })), stop)],
    ['mistral', frames(...halves.map((content) => chunk({ content })), stop)],
    [
      'anthropic',
      frames(
        start,
        ...block(0, { type: 'text' }, ...halves.map((text) => ({ type: 'text_delta', text }))),
        ...end,
      ),
    ],
    ['xai', frames(...halves.map((delta) => ({ type: 'response.output_text.delta', delta })), completed)],
    [
      'google',
      frames(...halves.map((text) => candidate([{ text }])), candidate([], { finishReason: 'STOP' })),
    ],
  ])('is whole in the answer of %s', async (kind, body) => {
    const { text, finish } = await saidBy(kind, body)
    expect([text, finish.message.content]).toEqual(['a😀b', 'a😀b'])
    expect(JSON.stringify(finish.message.opaque)).toContain('a😀b')
  })

  it('is U+FFFD when its second half does not come, also in what is sent back to the provider', async () => {
    const { finish } = await saidBy('openai', frames(chunk({ content: 'a\ud83d' }), stop))
    expect(finish.message.content).toBe('a\ufffd')
    expect(JSON.stringify(finish.message)).not.toContain('\\ud83d')
  })
})

describe('a tool call without an id', () => {
  const call = { type: 'function_call', name: 'read_file', arguments: { path: 'a' } }
  const done = { type: 'response.output_item.done', output_index: 0 }
  const use = { type: 'tool_use', name: 'read_file', input: { path: 'a' } }
  it.each<[string, string]>([
    ['anthropic', frames(start, ...block(0, { ...use, id: '' }), ...end)],
    ['anthropic', frames(start, ...block(0, { ...use, id: null }), ...end)],
    ['xai', frames({ ...done, item: { ...call, call_id: '' } }, completed)],
    ['anthropic', JSON.stringify({ type: 'message', content: [use], stop_reason: 'tool_use' })],
    ['xai', JSON.stringify({ object: 'response', output: [call] })],
    ['openai', frames(changed({ tool_calls: [{ id: '', function: call }] }), chunk({}, 'tool_use'))],
  ])('of %s gets one, and arguments that are an object are read', async (kind, body) => {
    expect((await saidBy(kind, body)).finish).toMatchObject({
      message: { toolCalls: [{ id: expect.stringMatching(/./), arguments: { path: 'a' } }] },
    })
  })
})

describe('an error inside of an answer with status 200', () => {
  const json = { headers: { 'content-type': 'application/json' } }
  const error = { message: 'Upstream is down' }
  it.each<[string, string, string, object, Sent?]>([
    [
      'openrouter',
      JSON.stringify({ error }),
      'reported an error: Upstream is down',
      { reason: 'refused' },
      json,
    ],
    [
      'openrouter',
      JSON.stringify({ error: 'No GPU' }),
      'reported an error: No GPU',
      { reason: 'refused' },
      json,
    ],
    [
      'openrouter',
      JSON.stringify({ detail: 'Not here' }),
      'reported an error: Not here',
      { reason: 'refused' },
    ],
    [
      'openrouter',
      frames(...hello, { ...chunk({}, 'error'), error: { code: 502, ...error } }, DONE),
      'failed (HTTP 502): Upstream is down',
      { reason: 'status', status: 502 },
    ],
    [
      'openai',
      frames(...hello, chunk({}, 'error'), DONE),
      'ended its response with an error',
      { reason: 'status' },
    ],
    [
      'openrouter',
      frames(...hello, changed({ content: '' }, { finish_reason: 'error', error: { code: 502, ...error } })),
      'failed (HTTP 502): Upstream is down',
      { reason: 'status', status: 502 },
    ],
    [
      'openai',
      frames({ object: 'error', message: 'Bad model', code: 400 }),
      'rejected the request (HTTP 400): Bad model',
      { reason: 'refused', status: 400 },
    ],
    [
      'openai',
      frames(...hello, 'data: {"error": "killed"}'),
      'reported an error: killed',
      { reason: 'refused' },
    ],
    [
      'xai',
      frames(...responded, {
        type: 'response.failed',
        response: { error: { code: 'server_error', ...error } },
      }),
      'failed (HTTP 500): Upstream is down',
      { reason: 'status', status: 500 },
    ],
    [
      'xai',
      frames(...responded, {
        type: 'response.completed',
        response: { status: 'failed', error: { code: 'server_error', ...error } },
      }),
      'failed (HTTP 500): Upstream is down',
      { reason: 'status', status: 500 },
    ],
    ['xai', frames(...responded, { type: 'response.cancelled' }), 'failed', { reason: 'status' }],
    [
      'google',
      frames(candidate([{ text: 'H' }]), { error: { code: 503, ...error, status: 'UNAVAILABLE' } }),
      'failed (HTTP 503): Upstream is down',
      { reason: 'status', status: 503 },
    ],
    [
      'cohere',
      frames({ type: 'message-end', delta: { finish_reason: 'ERROR', error: 'Broken' } }),
      'reported an error: Broken',
      { reason: 'refused' },
    ],
    [
      'cohere',
      frames({ type: 'message-end', delta: { finish_reason: 'TIMEOUT' } }),
      'ended its response with an error',
      { reason: 'status' },
    ],
    [
      'openai',
      frames(...hello, chunk({}, 'abort'), DONE),
      'ended its response with an error',
      { reason: 'status' },
    ],
    [
      'openai',
      JSON.stringify({ code: 502, message: 'Upstream is down' }),
      'failed (HTTP 502): Upstream is down',
      { reason: 'status', status: 502 },
    ],
    [
      'google',
      JSON.stringify([{ error: { ...error, code: 503 } }]),
      'failed (HTTP 503): Upstream is down',
      { reason: 'status', status: 503 },
    ],
    [
      'openrouter',
      frames(...hello, `event: error\ndata: ${JSON.stringify(error)}\n\n`),
      'reported an error: Upstream is down',
      { reason: 'refused' },
    ],
    [
      'anthropic',
      frames('event: error\ndata: Upstream is down\n\n'),
      'reported an error: Upstream is down',
      { reason: 'refused' },
    ],
    ['anthropic', '<html>Sign in</html>', 'returned an unreadable response', { reason: 'unreadable' }],
    ['openai', frames('data: Sign in\n\n'), 'returned an unreadable response', { reason: 'unreadable' }],
    ['anthropic', '{"hello": 1}', 'returned an unreadable response', { reason: 'unreadable' }],
  ])('of %s %s says: %s', async (...[kind, body, message, details, sent]) => {
    const { thrown } = await failure(models(kind, body, sent), request)
    expect(thrown).toMatchObject({ code: 'provider_error', details: { provider: kind, ...details } })
    expect(thrown.message.replace(/^(Google Gemini|\S+) /, '')).toBe(message)
  })
})

describe('an error answer', () => {
  it.each<[number, string, string, object]>([
    [400, '{"error": "text"}', 'rejected the request (HTTP 400): text', { reason: 'refused', status: 400 }],
    [
      422,
      '{"detail": "No tools"}',
      'rejected the request (HTTP 422): No tools',
      { reason: 'refused', status: 422 },
    ],
    [
      422,
      '{"detail": [{"loc": ["body"], "msg": "Field required"}, {"msg": "Too few"}]}',
      'rejected the request (HTTP 422): Field required; Too few',
      { reason: 'refused', status: 422 },
    ],
    [500, '{"message": "Oh"}', 'failed (HTTP 500): Oh', { reason: 'status', status: 500 }],
    [500, 'plain words', 'failed (HTTP 500): plain words', { reason: 'status', status: 500 }],
    [502, '<html><title>nginx</title>', 'failed (HTTP 502)', { reason: 'status', status: 502 }],
    [503, '', 'failed (HTTP 503)', { reason: 'status', status: 503 }],
    [401, '{"error": {}}', 'rejected the API key (HTTP 401)', { reason: 'refused', status: 401 }],
    [307, 'moved', 'responded with a redirect (HTTP 307), which is not followed', { reason: 'transport' }],
    [
      400,
      '{"error": {"code": "context_length_exceeded", "message": "Too long"}}',
      'rejected the prompt because it exceeds the context window of the model: Too long',
      { reason: 'context_length', status: 400 },
    ],
    [
      400,
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}',
      'rejected the prompt because it exceeds the context window of the model: prompt is too long: 9 tokens > 8 maximum',
      { reason: 'context_length', status: 400 },
    ],
  ])('%i %s says: %s', async (status, body, message, details) => {
    const { thrown } = await failure(models('openrouter', body, { status }), request)
    expect(thrown.details).toEqual({ provider: 'openrouter', ...details })
    expect(thrown.message).toBe(`OpenRouter ${message}`)
  })
})

describe('a connection that fails', () => {
  it.each<[string, () => Promise<Response>, string]>([
    [
      'at a port that is refused',
      () => fetch('http://127.0.0.1:1/'),
      'could not be reached, or the connection was lost',
    ],
    [
      'by a code of the system',
      async () => {
        const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.9:443'), { code: 'ECONNREFUSED' })
        throw new TypeError('fetch failed', { cause })
      },
      'could not be reached, or the connection was lost (ECONNREFUSED)',
    ],
    [
      'in an unknown way',
      async () => {
        throw new Error('secret library text')
      },
      'could not be reached, or the connection was lost',
    ],
  ])('%s is one of transport', async (_, send, message) => {
    const port = createModels({
      settings: { providers: { openrouter: { apiKey: 'planted-key', model: 'm' } }, retries: 0 },
      clock: createClock(),
      fetch: send as typeof fetch,
    })
    const { thrown } = await failure(port, ask('Hi'))
    expect(thrown.details).toEqual({ provider: 'openrouter', reason: 'transport' })
    expect(thrown.message).toBe(`OpenRouter ${message}`)
  })
})
