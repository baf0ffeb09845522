import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { openLocalApp } from '../../lib/app/local.ts'
import { readConfig } from '../../lib/config/config.ts'
import { type Loopback, onLoopback } from '../../offline/loopback.ts'
import { brokenPromise } from '../api/promise.ts'
import { chunk, DONE, events, hang, startWire, status, usage, type Wire } from '../fakes/model-wire.ts'

// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes.
type Body = any

let wire: Wire
let app: Awaited<ReturnType<typeof openLocalApp>>
let loopback: Loopback
beforeAll(async () => {
  wire = await startWire()
  app = await openLocalApp(
    readConfig({
      SERVICE_MODE: 'pico',
      LOG_LEVEL: 'silent',
      OPENAI_API_KEY: 'planted.canary.key',
      OPENAI_BASE_URL: `${wire.origin}/v1`,
      OPENAI_MODEL: 'model-7',
      AGENTIC_TIMEOUT_MS: '8000',
    }),
  )
  // It is not started: no worker takes the task that a test makes.
  loopback = await onLoopback(app.server)
})
afterEach(() => {
  wire.heard.length = 0
  wire.replies = []
})
afterAll(async () => {
  await loopback?.stop()
  await app?.close()
  await wire?.close()
})

const ask = async (method: string, path: string, body?: object) => {
  const answer = await fetch(`${loopback.url}/api/chat/${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  })
  const type = answer.headers.get('content-type') ?? ''
  const text = await answer.text()
  const parsed: Body = type.includes('json') ? JSON.parse(text) : undefined
  expect(brokenPromise(method, `/api/chat/${path}`, { status: answer.status, body: parsed })).toBeUndefined()
  return { status: answer.status, type, text, body: parsed }
}
const eventsIn = (text: string): Body[] =>
  text
    .split('\n\n')
    .flatMap((frame) => frame.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => JSON.parse(line.slice(6)))

const hello = [chunk({ role: 'assistant', content: 'Hel' }), chunk({ content: 'lo' })]
const completeAnswer = events(...hello, chunk({}, 'stop'), usage(7, 2), DONE)
const messages = [{ role: 'user', content: 'Hi' }]
const conversation = async (given: object = {}): Promise<string> =>
  (await ask('POST', 'conversations', given)).body.conversation.id

describe('a completion', () => {
  it('answers as a whole', async () => {
    wire.replies = [completeAnswer]
    const { status: code, body } = await ask('POST', 'completions', {
      messages,
      systemPrompt: 'Be kind.',
      temperature: 0.3,
      maxTokens: 9,
    })
    expect([code, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^cmpl_/),
        provider: 'openai',
        model: 'model-7',
        finishReason: 'stop',
        duration: expect.any(Number),
        message: { role: 'assistant', content: 'Hello' },
        usage: {
          promptTokens: 7,
          completionTokens: 2,
          totalTokens: 9,
          cost: { usd: null, source: 'unknown' },
        },
      },
    ])
    expect(wire.heard[0]?.body).toMatchObject({
      messages: [{ content: 'Be kind.' }, { role: 'user', content: 'Hi' }],
    })
  })

  it('streams its text, and then how it ended', async () => {
    wire.replies = [completeAnswer]
    const { type, text } = await ask('POST', 'completions', { messages, stream: true })
    expect(type).toContain('text/event-stream')
    expect(text.startsWith('data: {"content":"Hel"}\n\ndata: {"content":"lo"}\n\ndata: {"done":true,')).toBe(
      true,
    )
    expect(eventsIn(text).at(-1)).toMatchObject({
      done: true,
      finishReason: 'stop',
      usage: { totalTokens: 9, cost: { usd: null, source: 'unknown' } },
    })
  })

  it('of one prompt says little around it', async () => {
    wire.replies = [completeAnswer]
    expect((await ask('POST', 'quick', { prompt: 'Hi' })).body).toEqual({
      content: 'Hello',
      model: 'model-7',
      provider: 'openai',
      usage: { promptTokens: 7, completionTokens: 2, totalTokens: 9, cost: { usd: null, source: 'unknown' } },
    })
  })

  it('that knows its task says so, by its id and by its ticket', async () => {
    wire.replies = [completeAnswer]
    const task = { title: 'Repair it', prompt: 'The pump', source: 'codehost', sourceId: 'a/b#7' }
    const made = await fetch(`${loopback.url}/api/tasks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(task),
    })
    const { id } = ((await made.json()) as Body).task
    for (const subject of [{ taskId: id }, { ticketId: 'codehost:a/b#7' }]) {
      const { body } = await ask('POST', 'smart', { messages, ...subject })
      expect(body.context).toMatchObject({ task: { id, title: 'Repair it' }, memory: [] })
    }
    const told = wire.heard.filter(({ body }) => String(body.messages[0].content).includes('The pump'))
    expect(told.length).toBeGreaterThanOrEqual(2)
    for (const subject of [{ taskId: 'none' }, { ticketId: 'codehost:none' }, { ticketId: 'nowhere:1' }])
      expect(await ask('POST', 'completions', { messages, ...subject })).toMatchObject({ status: 404 })
  })

  it('of a conversation has its history before it, and is saved', async () => {
    wire.replies = [completeAnswer]
    const conversationId = await conversation({ title: 'Kept' })
    await ask('POST', 'completions', { messages, conversationId })
    await ask('POST', 'completions', {
      messages: [{ role: 'user', content: 'Again' }],
      conversationId,
      stream: true,
    })
    expect(wire.heard[1]?.body.messages.map(({ content }: Body) => content)).toEqual(['Hi', 'Hello', 'Again'])
    const { body } = await ask('GET', `conversations/${conversationId}`)
    expect(body.messages.map(({ content }: Body) => content)).toEqual(['Hi', 'Hello', 'Again', 'Hello'])
  })
})

describe('a request that is wrong', () => {
  it.each([
    [{}, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages.0.content'],
    [{ messages: [{ role: 'user', content: 'x'.repeat(100_001) }] }, 'messages.0.content'],
    [{ messages: [{ role: 'system', content: 'x' }] }, 'messages'],
    [{ messages, temperature: 2.1 }, 'temperature'],
    [{ messages, temperature: 'hot' }, 'temperature'],
    [{ messages, maxTokens: 0 }, 'maxTokens'],
    [{ messages, maxTokens: 1.5 }, 'maxTokens'],
    [{ messages, stream: 'yes' }, 'stream'],
    [{ messages, model: 5 }, 'model'],
    [{ messages, systemPrompt: [] }, 'systemPrompt'],
    [{ messages, conversationId: '' }, 'conversationId'],
    [{ messages, ticketId: 'no provider' }, 'ticketId'],
  ])('is refused before the first byte of a stream, whatever is wrong (%#)', async (body, path) => {
    for (const stream of [{}, { stream: true }]) {
      const answer = await ask('POST', 'completions', { ...stream, ...body })
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
      expect(answer.body.details.map((one: Body) => one.path)).toContain(path)
    }
    expect(wire.heard).toEqual([])
  })

  it.each([
    ['completions', { messages, stream: true, model: 'x', provider: 'none' }, 400, 'model_unknown'],
    ['completions', { messages, stream: true, conversationId: 'none' }, 404, 'conversation_not_found'],
    ['conversations/none/messages', { content: 'Hi' }, 404, 'conversation_not_found'],
    ['conversations/none/messages/with-tools', { content: 'Hi' }, 404, 'conversation_not_found'],
    [
      'conversations/none/messages/with-tools',
      { content: 'Hi', securityMode: 'all' },
      400,
      'validation_failed',
    ],
    ['conversations/none/messages', { content: ' ' }, 400, 'validation_failed'],
  ])('of %s is answered in JSON: %j', async (path, body, code, name) => {
    expect(await ask('POST', path, body)).toMatchObject({ status: code, body: { code: name } })
  })
})

describe('a provider that', () => {
  it('is still writing when the reader leaves is stopped, and what it said is kept', async () => {
    wire.replies = [hang(...hello)]
    const conversationId = await conversation()
    const leave = new AbortController()
    const answer = await fetch(`${loopback.url}/api/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages, stream: true, conversationId }),
      signal: leave.signal,
    })
    const reader = answer.body?.getReader()
    await reader?.read()
    leave.abort()
    await wire.heard[0]?.closed
    let kept: Body[] = []
    while (kept.length < 2) kept = (await ask('GET', `conversations/${conversationId}`)).body.messages
    expect(kept[1]).toMatchObject({ content: expect.stringMatching(/^Hel/), error: { code: 'cancelled' } })
  })
})

describe('providers and models', () => {
  it('are listed, with how those that are configured are', async () => {
    wire.replies = [status(200, { object: 'list', data: [] })]
    const { body } = await ask('GET', 'providers')
    expect(body.default).toBe('openai')
    expect(body.providers).toContainEqual(
      expect.objectContaining({ type: 'openai', configured: true, healthy: true }),
    )
    expect(body.providers).toContainEqual(
      expect.objectContaining({ type: 'anthropic', configured: false, healthy: false }),
    )
    expect((await ask('GET', 'models?provider=openai')).body.models).toContainEqual({
      id: 'model-7',
      provider: 'openai',
      name: 'model-7',
    })
    expect(await ask('GET', 'models?provider=none')).toMatchObject({ status: 400 })
  })
})

describe('a turn with tools', () => {
  it('works in the workspace of its conversation', async () => {
    const call = { name: 'write_file', arguments: JSON.stringify({ path: 'a.txt', content: 'Hi' }) }
    wire.replies = [
      events(
        chunk({
          role: 'assistant',
          tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }],
        }),
        chunk({}, 'tool_calls'),
        usage(5, 5),
        DONE,
      ),
      completeAnswer,
    ]
    const id = await conversation()
    const { body } = await ask('POST', `conversations/${id}/messages/with-tools`, {
      content: 'Write',
      securityMode: 'full',
    })
    expect(body.assistantMessage).toMatchObject({
      content: 'Hello',
      toolCalls: [{ id: 'call_1', name: 'write_file', status: 'success' }],
    })
  })
})
