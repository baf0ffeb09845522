import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type BrokeredCall, createBroker } from '../../../lib/adapters/agents/broker/broker.ts'
import { openBrokeredRun } from '../../../lib/adapters/agents/broker/run.ts'
import { createUsageReader, type Metered, type Wire } from '../../../lib/adapters/agents/broker/usage.ts'
import { entropy } from '../../../lib/adapters/node/entropy.ts'
import type { Cost } from '../../../lib/core/cost.ts'
import type { PriceCall } from '../../../lib/ports/prices.ts'
import { createFakeLog } from '../../fakes/log.ts'

/** A token of the model m costs a dollar. */
const tokenPrice: PriceCall = ({ model, usage }) => (model === 'm' ? usage.input + usage.output : null)
const answerOf = (model: string, tokens: number) =>
  JSON.stringify({ model, usage: { input_tokens: tokens, output_tokens: 0 } })

const KEY = 'sk-operator-0123456789'

let provider: Server
let broker: Server
let origin: string
let handle: (incoming: IncomingMessage, response: ServerResponse) => void
const calls: (BrokeredCall & { usage: () => Metered })[] = []
let refusal: string | undefined
const reported: string[] = []

const listening = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let open: ReturnType<typeof createBroker>['open']
beforeAll(async () => {
  provider = createServer((incoming, response) => handle(incoming, response))
  const baseUrl = `${await listening(provider)}/upstream/v1`
  const made = createBroker({
    provider: (kind) => (kind === 'google' ? undefined : { apiKey: KEY, baseUrl }),
    readLimit: (_, { status, headers, body }) =>
      status === 429 && headers['retry-after'] === '3600'
        ? { reason: body, retryAfterMs: 3_600_000 }
        : undefined,
    limits: {
      limited: async (kind, { reason }) => void reported.push(`${kind} limited: ${reason}`),
      answered: (kind) => void reported.push(`${kind} answered`),
    },
    entropy,
    log: createFakeLog(),
  })
  broker = made.server
  open = made.open
  origin = await listening(broker)
})
afterAll(async () => {
  for (const server of [provider, broker]) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const openRun = () =>
  open({ refusal: () => refusal, onCall: (call, usage) => void calls.push(Object.assign(call, { usage })) })
/** A call as a run sees it, with the usage that was read up to now. */
const metered = () => calls.map(({ usage, ...call }) => ({ ...call, ...usage() }))

const call = (token: string, path: string, more: RequestInit = {}) =>
  fetch(origin + path, {
    method: 'POST',
    body: '{"model":"m"}',
    ...more,
    headers: { 'x-api-key': token, 'content-type': 'application/json', ...more.headers },
  })

const echo = async (incoming: IncomingMessage, response: ServerResponse) => {
  const { method, url, headers } = incoming
  const body = await text(incoming)
  response.writeHead(200, { 'content-type': 'application/json', 'x-of-provider': 'yes' })
  response.end(JSON.stringify({ method, url, headers, body }))
}

describe('the broker', () => {
  it.each([
    ['anthropic', '/anthropic/v1/messages', '/upstream/v1/messages', 'x-api-key', KEY],
    ['openai', '/openai/v1/responses', '/upstream/v1/responses', 'authorization', `Bearer ${KEY}`],
    [
      'a query, without its key',
      '/anthropic/v1/messages?beta=true&key=x',
      '/upstream/v1/messages?beta=true',
      'x-api-key',
      KEY,
    ],
  ])('puts the key of the operator in, for %s', async (_title, path, url, header, value) => {
    handle = (...given) => void echo(...given)
    using run = closing(openRun())
    const answer = await call(run.token, path, { headers: { 'anthropic-version': '2023-06-01' } })
    expect(answer.headers.get('x-of-provider')).toBe('yes')
    const seen = (await answer.json()) as { url: string; body: string; headers: Record<string, string> }
    expect(seen).toMatchObject({ method: 'POST', url, body: '{"model":"m"}' })
    expect(seen.headers).toMatchObject({ [header]: value, 'anthropic-version': '2023-06-01' })
    expect(JSON.stringify(seen)).not.toContain(run.token)
  })

  it.each<[string, () => { token: string; path: string; method?: string }, number]>([
    ['no token', () => ({ token: '', path: '/openai/v1/responses' }), 401],
    ['the token of a run that is over', () => ({ token: closedToken(), path: '/openai/v1/responses' }), 401],
    ['files of the operator', () => ({ token: openRun().token, path: '/openai/v1/files' }), 404],
    ['a batch', () => ({ token: openRun().token, path: '/anthropic/v1/messages/batches' }), 404],
    [
      'a way out of the path',
      () => ({ token: openRun().token, path: '/openai/v1/models/../files', method: 'GET' }),
      404,
    ],
    ['a deletion', () => ({ token: openRun().token, path: '/openai/v1/models/x', method: 'DELETE' }), 404],
    ['another host', () => ({ token: openRun().token, path: '/other/v1/messages' }), 404],
    [
      'a provider without a key',
      () => ({ token: openRun().token, path: '/google/v1beta/models/m:generateContent' }),
      403,
    ],
  ])('passes nothing on for %s', async (_title, make, status) => {
    let asked = 0
    handle = (...given) => {
      asked += 1
      void echo(...given)
    }
    const { token, path, method = 'POST' } = make()
    const answer = await raw(method, path, token)
    expect(answer).toBe(status)
    expect(asked).toBe(0)
  })

  it.each<[string, number, object]>([
    ['/anthropic/v1/messages', 402, { type: 'error', error: { type: 'billing_error', message: 'No more' } }],
    [
      '/openai/v1/responses',
      429,
      { error: { message: 'No more', type: 'insufficient_quota', param: null, code: 'insufficient_quota' } },
    ],
    [
      '/google/v1beta/models/m:generateContent',
      429,
      { error: expect.objectContaining({ code: 429, message: 'No more', status: 'RESOURCE_EXHAUSTED' }) },
    ],
  ])('refuses calls of a run that may make no more as the provider would: %s', async (path, status, body) => {
    using run = closing(openRun())
    refusal = 'No more'
    const answer = await call(run.token, path)
    refusal = undefined
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([status, 'false'])
    expect(await answer.json()).toEqual(body)
  })

  it('refuses the next call once the limit is crossed in the middle of a stream, which goes on', async () => {
    const first = 'data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":10}}}\n\n'
    const next = Promise.withResolvers<void>()
    handle = async (incoming, response) => {
      await text(incoming)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first)
      await next.promise
      response.end('data: {"type":"message_delta","usage":{"output_tokens":5}}\n\n')
    }
    const brokered = { broker: { open }, address: { origin, bridged: [] }, price: tokenPrice }
    let spent = (): Cost | undefined => undefined
    const refuse = () => ((spent()?.usd ?? 0) >= 10 ? 'No more' : undefined)
    using run = closing(openBrokeredRun(brokered, refuse))
    spent = run.cost
    const streamed = await call(run.token, '/anthropic/v1/messages')
    const reader = (streamed.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    expect((await call(run.token, '/anthropic/v1/messages')).status).toBe(402)
    next.resolve()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('output_tokens')
    expect((await reader.read()).done).toBe(true)
    expect(run.cost()).toEqual({ usd: 15, source: 'price' })
  })

  it.each<[string, string[], object | undefined]>([
    ['nothing before a call', [], undefined],
    ['the sum of its calls', [answerOf('m', 2), answerOf('m', 3)], { usd: 5, source: 'price' }],
    ['unknown without a price', [answerOf('other', 2)], { usd: null, source: 'unknown' }],
    ['unknown without usage', ['{"model":"m"}'], { usd: null, source: 'unknown' }],
    [
      'the known part, marked as unknown, where a call has no price',
      [answerOf('m', 2), answerOf('other', 3)],
      { usd: 2, source: 'unknown' },
    ],
  ])('prices the calls of a run: %s', async (_title, answers, cost) => {
    const left = [...answers]
    handle = async (incoming, response) => {
      await text(incoming)
      response.writeHead(200, { 'content-type': 'application/json' }).end(left.shift())
    }
    const brokered = { broker: { open }, address: { origin, bridged: [] }, price: tokenPrice }
    using run = closing(openBrokeredRun(brokered))
    for (const _ of answers) await (await call(run.token, '/anthropic/v1/messages')).text()
    handle = (_, response) => void response.writeHead(429).end()
    await (await call(run.token, '/anthropic/v1/messages')).text()
    await (await call(run.token, '/anthropic/v1/messages/count_tokens')).text()
    expect(run.cost()).toEqual(cost)
  })

  it('passes a stream on as it comes, and reads its usage', async () => {
    const first =
      'event: message_start\ndata: {"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":1}}}\n\n'
    const last = 'data: {"type":"message_delta","usage":{"output_tokens":7}}\n\n'
    const next = Promise.withResolvers<void>()
    handle = async (incoming, response) => {
      await text(incoming)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first)
      await next.promise
      response.end(last)
    }
    using run = closing(openRun())
    calls.length = 0
    const answer = await call(run.token, '/anthropic/v1/messages')
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    const piece = await reader.read()
    expect(Buffer.from(piece.value ?? []).toString()).toBe(first)
    next.resolve()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(last)
    expect((await reader.read()).done).toBe(true)
    expect(metered()).toEqual([
      {
        kind: 'anthropic',
        status: 200,
        metered: true,
        model: 'claude-x',
        usage: { input: 10, cachedInput: 5, cacheWrites: 0, output: 7, reasoning: 0 },
      },
    ])
  })

  it.each([401, 429, 529])('passes the status %i of a provider on with its headers', async (status) => {
    handle = (_, response) =>
      void response
        .writeHead(status, { 'retry-after': '20', 'content-type': 'application/json' })
        .end('{"type":"error"}')
    using run = closing(openRun())
    calls.length = 0
    const answer = await call(run.token, '/anthropic/v1/messages')
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
      status,
      '20',
      '{"type":"error"}',
    ])
    expect(metered()).toEqual([{ kind: 'anthropic', status, metered: false }])
  })

  it.each([
    ['a usage limit', 429, '3600', ['anthropic limited: {"type":"error"}']],
    ['a rate limit', 429, '20', []],
    ['a fault', 500, '3600', []],
    ['an answer', 200, '', ['anthropic answered']],
  ])('reports %s before the program has the end of it', async (_what, status, wait, expected) => {
    handle = (_, response) => void response.writeHead(status, { 'retry-after': wait }).end('{"type":"error"}')
    using run = closing(openRun())
    calls.length = 0
    reported.length = 0
    const answer = await call(run.token, '/anthropic/v1/messages')
    await answer.text()
    expect(reported).toEqual(expected)
    expect(calls[0]?.limit?.reason).toBe(expected[0]?.includes('limited') ? '{"type":"error"}' : undefined)
  })

  it('reports nothing of a list of models, which says nothing of the account', async () => {
    handle = (_, response) => void response.writeHead(200).end('{}')
    using run = closing(openRun())
    reported.length = 0
    const { token } = run
    expect(await raw('GET', '/anthropic/v1/models', token)).toBe(200)
    expect(reported).toEqual([])
  })

  it('ends the call to the provider when the agent leaves, and counts what went by', async () => {
    const left = Promise.withResolvers<void>()
    handle = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"model":"gpt-x"}\n\n')
      response.once('close', () => left.resolve())
    }
    using run = closing(openRun())
    const leave = new AbortController()
    const answer = await call(run.token, '/openai/v1/chat/completions', { signal: leave.signal })
    expect(answer.status).toBe(200)
    leave.abort()
    await left.promise
  })

  it('answers 502 where the provider cannot be reached', async () => {
    handle = (incoming) => void incoming.socket.destroy()
    using run = closing(openRun())
    expect((await call(run.token, '/openai/v1/responses')).status).toBe(502)
  })
})

describe('the usage of an answer', () => {
  const none = { input: 0, cachedInput: 0, cacheWrites: 0, output: 0, reasoning: 0 }
  it.each<[Wire, string, string, object]>([
    [
      'messages',
      'application/json',
      '{"model":"c","usage":{"input_tokens":3,"cache_creation_input_tokens":2,"output_tokens":4}}',
      { model: 'c', usage: { ...none, input: 3, cacheWrites: 2, output: 4 } },
    ],
    [
      'chat',
      'application/json',
      '{"model":"g","usage":{"prompt_tokens":10,"completion_tokens":8,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":5}}}',
      { model: 'g', usage: { ...none, input: 6, cachedInput: 4, output: 3, reasoning: 5 } },
    ],
    [
      'chat',
      'text/event-stream',
      'data: {"model":"g","usage":null}\r\n\r\ndata: {"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\ndata: [DONE]\n\n',
      { model: 'g', usage: { ...none, input: 1, output: 2 } },
    ],
    [
      'responses',
      'text/event-stream',
      'event: response.completed\ndata: {"type":"response.completed","response":{"model":"o","usage":{"input_tokens":9,"output_tokens":2,"input_tokens_details":{"cached_tokens":9}}}}',
      { model: 'o', usage: { ...none, cachedInput: 9, output: 2 } },
    ],
    [
      'gemini',
      'application/json',
      '[{"modelVersion":"gm","usageMetadata":{"promptTokenCount":5}},{"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2,"thoughtsTokenCount":1}}]',
      { model: 'gm', usage: { ...none, input: 5, output: 2, reasoning: 1 } },
    ],
    ['chat', 'application/json', '{"model":"g"}', { model: 'g', usage: undefined }],
    ['chat', 'application/json', 'no json', {}],
    [
      'chat',
      'text/event-stream',
      `data: ${'x'.repeat(9_000_000)}\ndata: {"model":"g","usage":{"prompt_tokens":1}}\n`,
      { model: 'g', usage: { ...none, input: 1 } },
    ],
  ])('is read from %s, %s, cut anywhere', (wire, type, answer, metered) => {
    for (const size of answer.length > 10_000 ? [65_536] : [1, 7, answer.length]) {
      const reader = createUsageReader(wire, type)
      const bytes = Buffer.from(answer)
      for (let at = 0; at < bytes.length; at += size) reader.add(bytes.subarray(at, at + size))
      expect(reader.end()).toEqual(metered)
    }
  })
})

const closing = <Run extends { close: () => void }>(run: Run) => ({ ...run, [Symbol.dispose]: run.close })

const closedToken = () => {
  const { token, close } = openRun()
  close()
  return token
}

/** A request whose path is sent as it is. */
const raw = async (method: string, path: string, token: string): Promise<number | undefined> => {
  const { hostname, port } = new URL(origin)
  const sent = request({ hostname, port, method, path, headers: { 'x-api-key': token } }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}
