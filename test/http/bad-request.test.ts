import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text as streamText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createRefusal } from '../../lib/http/bad-request.ts'
import { onLoopback } from '../../offline/loopback.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { serve } from './serve.ts'
import { wordHandlers, wordRoutes } from './table.ts'

let service: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  service = await serve(wordRoutes, wordHandlers)
})
afterAll(() => service.close())

const opened = async (): Promise<Socket> => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  // A test that fails says so, rather than wait for as long as connections are kept.
  socket.setTimeout(4_000, () => socket.destroy(new Error('The connection stays open')))
  return socket
}

/** All that comes back for these bytes until the service closes the connection. */
const exchange = async (bytes: string): Promise<string> => {
  const socket = await opened()
  socket.write(bytes, 'latin1')
  return streamText(socket)
}

const HOST = 'Host: localhost\r\n'
const GET = `GET /api/words/one HTTP/1.1\r\n${HOST}`
const POST = `POST /api/words HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const large = `X: ${'x'.repeat(17_000)}\r\n`

/** The one answer in a text, whole and in the form of every error. */
const expectRefusal = (text: string, code: string) => {
  const [head = '', body = '', ...more] = text.split('\r\n\r\n')
  expect(more).toEqual([])
  const [status, ...fields] = head.split('\r\n')
  expect(status).toBe('HTTP/1.1 400 Bad Request')
  const json = JSON.parse(body)
  expect(json).toEqual({
    error: expect.stringMatching(/\S/),
    code,
    requestId: expect.stringMatching(/^req_/),
  })
  const headers = Object.fromEntries(fields.map((field) => field.toLowerCase().split(': ')))
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': json.requestId,
    connection: 'close',
  })
}

describe('what is no request', () => {
  it.each([
    ['a header that is too large', `${GET}${large}\r\n`, 'headers_too_large'],
    ['a header too large after a body', `${POST}${CHUNKED}\r\n0\r\n${large}\r\n`, 'headers_too_large'],
    ['an expectation', `${GET}Expect: the unexpected\r\n\r\n`, 'malformed_request'],
    ['an expectation and a body', `${POST}Expect: a\r\nContent-Length: 2\r\n\r\n{}`, 'malformed_request'],
    ['a request line that is none', 'HELLO\r\n\r\n', 'malformed_request'],
    ['a method that does not exist', `FETCH / HTTP/1.1\r\n${HOST}\r\n`, 'malformed_request'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc', 'malformed_request'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'malformed_request'],
    ['no Host', 'GET /api/words/one HTTP/1.1\r\n\r\n', 'malformed_request'],
    [
      'a target in absolute form and no Host',
      'GET http://localhost/api/words/one HTTP/1.1\r\n\r\n',
      'malformed_request',
    ],
    ['two Hosts', `${GET}Host: evil.example\r\n\r\n`, 'malformed_request'],
    ['two Hosts in another case', `${GET}hOST: localhost\r\n\r\n`, 'malformed_request'],
    ['two Hosts in HTTP/1.0', `${GET.replace('1.1', '1.0')}${HOST}\r\n`, 'malformed_request'],
    ['two Hosts and a body', `${POST}${HOST}Content-Length: 2\r\n\r\n{}`, 'malformed_request'],
    ['two ways to frame a body', `${POST}${CHUNKED}Content-Length: 5\r\n\r\n0\r\n\r\n`, 'malformed_request'],
    ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`, 'malformed_request'],
    ['a chunk without a size', `${POST}${CHUNKED}\r\nx\r\n`, 'malformed_request'],
    ['a header without a name', `${GET}: x\r\n\r\n`, 'malformed_request'],
  ])('is answered 400 in the form of every error: %s', async (_what, bytes, code) => {
    expectRefusal(await exchange(bytes), code)
  })

  it('is what ends in the middle', async () => {
    for (const bytes of ['GET /api/wo', GET, `${POST}Content-Length: 10\r\n\r\n{`]) {
      const socket = await opened()
      socket.end(bytes)
      expectRefusal(await streamText(socket), 'malformed_request')
    }
  })

  it('is answered once, however much more of it comes, and to a sender that sends all before it reads', async () => {
    const socket = await opened()
    const noise = 'x'.repeat(4_000_000)
    await new Promise((sent, failed) => {
      socket.once('error', failed).write(`HELLO\r\n\r\n${noise}`, sent)
    })
    expectRefusal(await streamText(socket), 'malformed_request')
  })

  it('is not a request that expects to be told to go on', async () => {
    const text = await exchange(
      `${POST}Expect: 100-continue\r\nContent-Length: 14\r\nConnection: close\r\n\r\n{"word":"one"}`,
    )
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/)
  })

  it('is not a request of HTTP/1.0, which need not say its host', async () => {
    // Who may come without one, the guard says.
    expect(await exchange('GET /api/words/one HTTP/1.0\r\n\r\n')).toContain('"code":"host_not_allowed"')
  })
})

describe('what is no request after one that is', () => {
  it.each([
    ['one', [`${GET}\r\n`]],
    ['several', [`${GET}\r\n`, `${POST}Content-Length: 14\r\n\r\n{"word":"two"}`, `${GET}\r\n`]],
    ['an answer in pieces', [`${GET.replace('one', 'export')}\r\n`]],
  ])('is answered behind it: %s', async (_what, requests) => {
    const text = await exchange(`${requests.join('')}HELLO\r\n\r\n`)
    const [last = '', ...earlier] = text.split(/(?=HTTP\/1\.1 )/).toReversed()
    expect(earlier).toHaveLength(requests.length)
    for (const answer of earlier) expect(answer).toMatch(/^HTTP\/1\.1 20[01] /)
    if (requests[0]?.includes('export')) expect(earlier[0]).toMatch(/\["one"\r\n.*,"two"\]\r\n0\r\n\r\n$/s)
    expectRefusal(last, 'malformed_request')
  })

  it('is not mixed with an answer that was begun before its request had come whole', async () => {
    const socket = await opened()
    socket.write(`${POST}${CHUNKED}Authorization: Bearer x\r\n\r\n${(2_000_000).toString(16)}\r\n`)
    socket.write('x'.repeat(1_100_000))
    const [begun] = await once(socket, 'data')
    expect(String(begun)).toMatch(/^HTTP\/1\.1 401 /)
    socket.write(`${'x'.repeat(900_000)}no chunk`)
    expect(await streamText(socket)).toBe('')
  })
})

describe('a request that does not come in time', () => {
  it('is answered in the same form, and its sender is not waited for', async () => {
    const inTime = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 }
    const server = createServer(inTime).on('clientError', createRefusal({ ids: createFakeIds() }))
    const { port, stop } = await onLoopback(server)
    const accepted = once(server, 'connection')
    // It does not hang up by itself.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const [ours] = await accepted
    socket.write(GET)
    expectRefusal(await streamText(socket), 'request_timeout')
    await once(ours, 'close')
    socket.destroy()
    await stop()
  })
})

describe('a connection that breaks', () => {
  it('is answered nothing', async () => {
    const socket = await opened()
    socket.destroy()
    const ids = createFakeIds()
    createRefusal({ ids })(Object.assign(new Error('reset'), { code: 'ECONNRESET' }), socket)
    expect(ids.next('req')).toMatch(/_0{25}1$/)
  })

  it('harms no other', async () => {
    for (const bytes of [
      'GET /api/wo',
      `${POST}Content-Length: 10\r\n\r\n{`,
      `${GET}\r\n`,
      'HELLO\r\n\r\n',
    ]) {
      const socket = await opened()
      await new Promise((sent) => socket.write(bytes, sent))
      socket.resetAndDestroy()
    }
    expect((await service.send({ path: '/api/words/one' })).status).toBe(200)
    expect(service.faults()).toEqual([])
  })
})
