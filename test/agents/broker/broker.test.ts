import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import {
  brotliCompressSync,
  createGzip,
  deflateSync,
  gzipSync,
  constants as zlib,
  zstdCompressSync,
} from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Broker, type BrokeredCall, openBroker } from '../../../lib/adapters/agents/broker/broker.ts'
import { openBrokeredRun } from '../../../lib/adapters/agents/broker/run.ts'
import { createUsageReader, type Metered, type Wire } from '../../../lib/adapters/agents/broker/usage.ts'
import { withoutCodings } from '../../../lib/adapters/node/content-coding.ts'
import { entropy } from '../../../lib/adapters/node/entropy.ts'
import type { Cost } from '../../../lib/core/cost.ts'
import { Problem } from '../../../lib/core/errors.ts'
import type { PriceCall } from '../../../lib/ports/prices.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { until } from '../../fakes/until.ts'

/** A token of the model m costs a dollar. */
const tokenPrice: PriceCall = ({ model, usage }) => (model === 'm' ? usage.input + usage.output : null)
const answerOf = (model: string, tokens: number) =>
  JSON.stringify({ model, usage: { input_tokens: tokens, output_tokens: 0 } })

const KEY = 'sk-operator-0123456789'

let provider: Server
let providerOrigin: string
let broker: Broker
let handle: (incoming: IncomingMessage, response: ServerResponse) => void
const calls: { call: BrokeredCall; usage: () => Metered }[] = []
let refusal: string | undefined
const reported: string[] = []

const listening = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  provider = createServer((incoming, response) => handle(incoming, response))
  providerOrigin = await listening(provider)
  const baseUrl = `${providerOrigin}/upstream/v1`
  broker = openBroker({
    provider: (kind) => (kind === 'google' ? undefined : { apiKey: KEY, baseUrl }),
    readFailure: (_, failed) => {
      if (failed instanceof Error) return new Problem('unavailable', 'provider_error', 'lost')
      const { status, headers, body } = failed
      return status === 429 && headers['retry-after'] === '3600'
        ? new Problem('rate_limited', 'rate_limited', body, { retryAfterMs: 3_600_000 })
        : new Problem('unavailable', 'provider_error', `${status}`)
    },
    withoutCodings,
    limits: {
      limited: async (kind, { reason }) => void reported.push(`${kind} limited: ${reason}`),
      answered: (kind) => void reported.push(`${kind} answered`),
    },
    entropy,
    log: createFakeLog(),
  })
})
afterAll(async () => {
  await broker.close()
  provider.closeAllConnections()
  await new Promise((resolve) => provider.close(resolve))
})

const openRun = () =>
  broker.open({
    refusal: () => refusal,
    onCall: (call, usage) => {
      calls.push({ call, usage })
      return () => undefined
    },
  })
/** A call as a run sees it, with the usage that was read up to now. */
const metered = () => calls.map(({ usage, call }) => ({ ...call, ...usage() }))

type Opened = { origin: string; token: string }
const call = ({ origin, token }: Opened, path: string, more: RequestInit = {}) =>
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
    await using run = closing(await openRun())
    const answer = await call(run, path, { headers: { 'anthropic-version': '2023-06-01' } })
    expect(answer.headers.get('x-of-provider')).toBe('yes')
    const seen = (await answer.json()) as { url: string; body: string; headers: Record<string, string> }
    expect(seen).toMatchObject({ method: 'POST', url, body: '{"model":"m"}' })
    expect(seen.headers).toMatchObject({ [header]: value, 'anthropic-version': '2023-06-01' })
    expect(JSON.stringify(seen)).not.toContain(run.token)
  })

  type Asked = { path?: string; method?: string; token?: (other: string) => string }
  it.each<[string, Asked, number]>([
    ['no token', { token: () => '' }, 401],
    ['the token of another run', { token: (other) => other }, 401],
    ['two tokens', { token: (other) => `${other}, ${other}` }, 401],
    ['files of the operator', { path: '/openai/v1/files' }, 404],
    ['a batch', { path: '/anthropic/v1/messages/batches' }, 404],
    ['a way out of the path', { path: '/openai/v1/models/../files', method: 'GET' }, 404],
    ['an encoded one', { path: '/openai/v1/models/%2e%2e/files', method: 'GET' }, 404],
    ['one with a backslash', { path: '/openai/v1/models/..\\files', method: 'GET' }, 404],
    ['two slashes', { path: '//other.example/openai/v1/responses' }, 404],
    ['an address', { path: 'http://other.example/anthropic/v1/messages' }, 404],
    ['another host behind the name of a user', { path: '/anthropic@other.example/v1/messages' }, 404],
    ['a deletion', { path: '/openai/v1/models/x', method: 'DELETE' }, 404],
    ['another provider', { path: '/other/v1/messages' }, 404],
    ['a provider without a key', { path: '/google/v1beta/models/m:generateContent' }, 403],
  ])('passes nothing on for %s', async (_title, asked, status) => {
    let passed = 0
    handle = (...given) => {
      passed += 1
      void echo(...given)
    }
    await using run = closing(await openRun())
    await using other = closing(await openRun())
    const { path = '/openai/v1/responses', method = 'POST', token = () => run.token } = asked
    expect(await raw(method, path, { ...run, token: token(other.token) })).toBe(status)
    expect(passed).toBe(0)
  })

  it('sends no header on by which a program would reach another host or be somebody else', async () => {
    handle = (...given) => void echo(...given)
    await using run = closing(await openRun())
    const { hostname, port } = new URL(run.origin)
    const headers = {
      'x-api-key': run.token,
      host: 'other.example',
      cookie: 'session=1',
      'x-goog-api-key': 'own',
      'proxy-authorization': 'Basic x',
      'x-http-method-override': 'DELETE',
      connection: 'x-api-key, anthropic-version',
      'anthropic-version': '2023-06-01',
    }
    const sent = request({ hostname, port, method: 'POST', path: '/anthropic/v1/messages', headers }).end(
      '{}',
    )
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const seen = JSON.parse(await text(answer)).headers
    expect(seen).toMatchObject({ 'x-api-key': KEY, host: new URL(providerOrigin).host })
    const foreign = ['cookie', 'x-goog-api-key', 'proxy-authorization', 'x-http-method-override']
    expect(Object.keys(seen).filter((name) => foreign.includes(name))).toEqual([])
  })

  it('does not follow a redirect, nor tells the program of it', async () => {
    let asked = 0
    const other = createServer((_, response) => {
      asked += 1
      response.end()
    })
    const location = `${await listening(other)}/v1/messages`
    handle = (_, response) => void response.writeHead(307, { location }).end()
    await using run = closing(await openRun())
    const answer = await call(run, '/anthropic/v1/messages', { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([502, null])
    expect(asked).toBe(0)
    other.close()
  })

  it('shows no key that an error of a provider quotes', async () => {
    handle = (_, response) =>
      void response
        .writeHead(401, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
        .end(gzipSync(JSON.stringify({ error: { message: `Incorrect API key: ${KEY}` } })))
    await using run = closing(await openRun())
    const answer = await call(run, '/openai/v1/responses')
    expect(answer.status).toBe(401)
    expect(await answer.json()).toEqual({ error: { message: 'Incorrect API key: [redacted]' } })
  })

  it('passes a body of 100 MB on as it comes, and a refusal of it', async () => {
    const part = Buffer.alloc(1_000_000, 'x')
    let received = 0
    handle = (incoming, response) => {
      incoming.on('data', ({ length }: Buffer) => {
        received += length
      })
      incoming.once('end', () => response.writeHead(413).end('{"error":{"message":"Too large"}}'))
    }
    await using run = closing(await openRun())
    const body = Readable.toWeb(Readable.from(Array.from({ length: 100 }, () => part)))
    const answer = await call(run, '/anthropic/v1/messages', { body, duplex: 'half' } as RequestInit)
    expect([answer.status, await answer.text()]).toEqual([413, '{"error":{"message":"Too large"}}'])
    expect(received).toBe(100_000_000)
  })

  it('answers pipelined calls in their order, and counts each', async () => {
    handle = async (incoming, response) => {
      const { tokens } = JSON.parse(await text(incoming))
      response.writeHead(200, { 'content-type': 'application/json' }).end(answerOf('m', tokens))
    }
    await using run = closing(await openBrokeredRun({ broker, price: tokenPrice }))
    const bodies = [1, 2, 3].map((tokens) => JSON.stringify({ tokens }))
    const requests = bodies.map(
      (body) =>
        `POST /anthropic/v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${run.token}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    const socket = connect(Number(new URL(run.origin).port), '127.0.0.1')
    socket.write(requests.join(''))
    let said = ''
    for await (const piece of socket) {
      said += piece
      if (said.split('"output_tokens":0').length > 3) break
    }
    expect([...said.matchAll(/"input_tokens":(\d)/g)].map(([, tokens]) => tokens)).toEqual(['1', '2', '3'])
    expect(run.cost()).toEqual({ usd: 6, source: 'price' })
  })

  it('bounds the calls and connections of a run, which are in the way of no other', async () => {
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    let waiting = 0
    handle = async (incoming, response) => {
      await text(incoming)
      waiting += 1
      if (waiting === 64) begun.resolve()
      await goOn.promise
      response.end('{}')
    }
    await using run = closing(await openRun())
    await using other = closing(await openRun())
    const calls = Array.from({ length: 64 }, () => call(run, '/anthropic/v1/messages'))
    await begun.promise
    const tooMany = await call(run, '/anthropic/v1/messages')
    expect([tooMany.status, tooMany.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await tooMany.json()).toMatchObject({ error: { type: 'rate_limit_error' } })

    const port = Number(new URL(run.origin).port)
    const idle = Array.from({ length: 1_000 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    // The address takes some of them, and closes the others at once.
    await Promise.all(idle.slice(200).map((socket) => once(socket, 'close')))
    const free = call(other, '/anthropic/v1/messages')
    goOn.resolve()
    expect((await free).status).toBe(200)
    expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true)
    for (const socket of idle) socket.destroy()
  })

  it('closes the address of a run with it, also for the answers that go by', async () => {
    handle = (_, response) => void response.writeHead(200).write('begun')
    const { close, ...run } = await openRun()
    const { body } = await call(run, '/anthropic/v1/messages')
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await close()
    await expect(reader.read()).rejects.toThrow()
    await expect(call(run, '/anthropic/v1/messages')).rejects.toThrow()
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
    await using run = closing(await openRun())
    refusal = 'No more'
    const answer = await call(run, path)
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
    const brokered = { broker, price: tokenPrice }
    let spent = (): Cost | undefined => undefined
    const refuse = () => ((spent()?.usd ?? 0) >= 10 ? 'No more' : undefined)
    await using run = closing(await openBrokeredRun(brokered, refuse))
    spent = run.cost
    const streamed = await call(run, '/anthropic/v1/messages')
    const reader = (streamed.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    expect((await call(run, '/anthropic/v1/messages')).status).toBe(402)
    next.resolve()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('output_tokens')
    expect((await reader.read()).done).toBe(true)
    expect(run.cost()).toEqual({ usd: 15, source: 'price' })
  })

  it('names the model of a run that did most of its work', async () => {
    const left = [answerOf('m', 100), answerOf('titles', 1)]
    handle = async (incoming, response) => {
      await text(incoming)
      response.writeHead(200, { 'content-type': 'application/json' }).end(left.shift())
    }
    const brokered = { broker, price: tokenPrice }
    await using run = closing(await openBrokeredRun(brokered))
    await (await call(run, '/anthropic/v1/messages')).text()
    await (await call(run, '/anthropic/v1/messages')).text()
    expect(run.model()).toBe('m')
    expect(run.unpriced()).toBe('titles')
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
    const brokered = { broker, price: tokenPrice }
    await using run = closing(await openBrokeredRun(brokered))
    for (const _ of answers) await (await call(run, '/anthropic/v1/messages')).text()
    handle = (_, response) => void response.writeHead(429).end()
    await (await call(run, '/anthropic/v1/messages')).text()
    await (await call(run, '/anthropic/v1/messages/count_tokens')).text()
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
    await using run = closing(await openRun())
    calls.length = 0
    const answer = await call(run, '/anthropic/v1/messages')
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
        model: 'claude-x',
        usage: { input: 10, cachedInput: 5, cacheWrites: 0, output: 7, reasoning: 0 },
      },
    ])
  })

  it.each<[string, (body: string) => Buffer, boolean]>([
    ['gzip', gzipSync, true],
    ['deflate', deflateSync, true],
    ['br', brotliCompressSync, true],
    ['zstd', zstdCompressSync, true],
    ['gzip, br', (body) => brotliCompressSync(gzipSync(body)), true],
    ['own', (body) => Buffer.from(body), false],
    ['x-gzip', (body) => Buffer.from(body), false],
  ])(
    'passes an answer on that a provider compresses by itself, and reads its usage: %s',
    async (coding, compress, isRead) => {
      const bytes = compress(answerOf('m', 4))
      handle = async (incoming, response) => {
        await text(incoming)
        expect(incoming.headers['accept-encoding']).toBe('identity')
        response.writeHead(200, { 'content-encoding': coding }).end(bytes)
      }
      await using run = closing(await openBrokeredRun({ broker, price: tokenPrice }))
      const { hostname, port } = new URL(run.origin)
      const headers = { 'x-api-key': run.token }
      const sent = request({ hostname, port, method: 'POST', path: '/anthropic/v1/messages', headers }).end(
        '{}',
      )
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      expect(answer.headers['content-encoding']).toBe(coding)
      expect(Buffer.concat(await answer.toArray())).toEqual(bytes)
      expect(run.cost()).toEqual(isRead ? { usd: 4, source: 'price' } : { usd: null, source: 'unknown' })
    },
  )

  it('passes a compressed stream on as it comes', async () => {
    const next = Promise.withResolvers<void>()
    handle = async (incoming, response) => {
      await text(incoming)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      const gzip = createGzip({ flush: zlib.Z_SYNC_FLUSH })
      gzip.pipe(response)
      gzip.write('data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":2}}}\n\n')
      await next.promise
      gzip.end('data: {"type":"message_delta","usage":{"output_tokens":3}}\n\n')
    }
    await using run = closing(await openBrokeredRun({ broker, price: tokenPrice }))
    const answer = await call(run, '/anthropic/v1/messages')
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('message_start')
    next.resolve()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('message_delta')
    expect((await reader.read()).done).toBe(true)
    expect(run.cost()).toEqual({ usd: 5, source: 'price' })
  })

  it('marks the cost of an answer that was left as not known in full', async () => {
    const first = 'data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":2}}}\n\n'
    handle = (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first)
    await using run = closing(await openBrokeredRun({ broker, price: tokenPrice }))
    const leave = new AbortController()
    const answer = await call(run, '/anthropic/v1/messages', { signal: leave.signal })
    await (answer.body as ReadableStream<Uint8Array>).getReader().read()
    expect(run.cost()).toEqual({ usd: 2, source: 'price' })
    leave.abort()
    await until(() => run.cost()?.source === 'unknown')
    expect([run.cost(), await run.failure()]).toEqual([{ usd: 2, source: 'unknown' }, undefined])
  })

  it.each([401, 429, 529])('passes the status %i of a provider on with its headers', async (status) => {
    handle = (_, response) =>
      void response
        .writeHead(status, { 'retry-after': '20', 'content-type': 'application/json' })
        .end('{"type":"error"}')
    await using run = closing(await openRun())
    calls.length = 0
    const answer = await call(run, '/anthropic/v1/messages')
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
      status,
      '20',
      '{"type":"error"}',
    ])
    expect(metered()).toEqual([{ kind: 'anthropic', status, failure: expect.any(Problem) }])
  })

  it.each([
    ['a usage limit', 429, '3600', ['anthropic limited: {"type":"error"}']],
    ['a rate limit', 429, '20', []],
    ['a fault', 500, '3600', []],
    ['an answer', 200, '', ['anthropic answered']],
  ])('reports %s before the program has the end of it', async (_what, status, wait, expected) => {
    handle = (_, response) => void response.writeHead(status, { 'retry-after': wait }).end('{"type":"error"}')
    await using run = closing(await openRun())
    calls.length = 0
    reported.length = 0
    const answer = await call(run, '/anthropic/v1/messages')
    await answer.text()
    expect(reported).toEqual(expected)
  })

  it('reports nothing of a list of models, which says nothing of the account', async () => {
    handle = (_, response) => void response.writeHead(200).end('{}')
    await using run = closing(await openRun())
    reported.length = 0
    expect(await raw('GET', '/anthropic/v1/models', run)).toBe(200)
    expect(reported).toEqual([])
  })

  it('ends the call to the provider when the agent leaves, and counts what went by', async () => {
    const left = Promise.withResolvers<void>()
    handle = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"model":"gpt-x"}\n\n')
      response.once('close', () => left.resolve())
    }
    await using run = closing(await openRun())
    const leave = new AbortController()
    const answer = await call(run, '/openai/v1/chat/completions', { signal: leave.signal })
    expect(answer.status).toBe(200)
    leave.abort()
    await left.promise
  })

  it('answers 502 where the provider cannot be reached', async () => {
    handle = (incoming) => void incoming.socket.destroy()
    await using run = closing(await openRun())
    expect((await call(run, '/openai/v1/responses')).status).toBe(502)
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
      'messages',
      'text/event-stream',
      `data: {"message":{"model":"c","usage":{"input_tokens":3}},"type":"message_start"}\n\n${'data: {"delta":{"text":"input_tokens"}}\n\n'.repeat(9)}data: {"usage":{"output_tokens":1}}\n\ndata: {"delta":{"text":"\\"output_tokens\\":7"}}\n\ndata: {"usage":{"output_tokens":4}}\n\ndata: {"type":"message_stop"}\n\n`,
      { model: 'c', usage: { ...none, input: 3, output: 4 } },
    ],
    [
      'gemini',
      'text/event-stream',
      'data: {"modelVersion":"gm"}\r\n\r\ndata: {"candidates":[{}]}\r\n\r\ndata: {"usageMetadata":{"promptTokenCount":5}}\r\n\r\ndata: {"candidates":[{}]}\r\n\r\n',
      { model: 'gm', usage: { ...none, input: 5 } },
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

const closing = <Run extends { close: () => Promise<void> }>(run: Run) => ({
  ...run,
  [Symbol.asyncDispose]: run.close,
})

/** A request whose path is sent as it is. */
const raw = async (method: string, path: string, { origin, token }: Opened): Promise<number | undefined> => {
  const { hostname, port } = new URL(origin)
  const sent = request({ hostname, port, method, path, headers: { 'x-api-key': token } }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}
