import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { buffered } from '../../lib/http/buffered-response.ts'
import type { HttpEvent } from '../../lib/http/event.ts'
import { eventStream } from '../../lib/http/event-stream.ts'
import { lambda } from '../../lib/http/lambda.ts'
import { defineRoutes, type Handlers, Reply } from '../../lib/http/route.ts'
import { openGuard, proxies } from '../fakes/guard.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { createFakeLog } from '../fakes/log.ts'
import { serve } from './serve.ts'

const route = (path: string) =>
  ({
    ...({ method: 'GET', access: 'public', summary: 'A text', path } as const),
    response: z.object({ text: z.string() }),
  }) as const
const routes = defineRoutes({
  long: route('/api/texts/long'),
  short: route('/api/texts/short'),
  metrics: route('/api/texts/metrics'),
  events: route('/api/texts/events'),
})

const LONG = { text: 'zażółć gęślą jaźń '.repeat(200) }
async function* events() {
  yield `data: ${LONG.text}\n\n`
}
const handlers: Handlers<typeof routes> = {
  long: () => LONG,
  short: () => ({ text: 'x'.repeat(1_000) }),
  metrics: () => new Reply({ raw: LONG.text }, { headers: { 'content-type': 'text/plain' } }),
  events: () => eventStream(createClock(), events()),
}

let service: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  service = await serve(routes, handlers)
})
afterAll(() => service.close())

/** By node:http, which leaves an answer as it came. */
const ask = async (path: string, headers: Record<string, string>, method = 'GET') => {
  const { promise, resolve, reject } = Promise.withResolvers<
    Parameters<typeof buffer>[0] & { headers: object }
  >()
  request(`${service.url}/api/texts/${path}`, { method, headers, agent: false }, resolve as never)
    .on('error', reject)
    .end()
  const answer = await promise
  return { headers: answer.headers as Record<string, string | undefined>, body: await buffer(answer) }
}

const opened = {
  br: (body: Buffer) => brotliDecompressSync(body),
  gzip: (body: Buffer) => gunzipSync(body),
}

describe('a JSON answer of 1 kB or more', () => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
  ] as const)('is compressed for a caller that accepts %s, by %s', async (accepted, encoding) => {
    const { headers, body } = await ask('long', { 'accept-encoding': accepted })
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(body.length),
      vary: 'Accept-Encoding',
    })
    expect(body.length).toBeLessThan(500)
    expect(JSON.parse(opened[encoding](body).toString())).toEqual(LONG)
    const head = await ask('long', { 'accept-encoding': accepted }, 'HEAD')
    expect(head.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(body.length),
    })
  })

  it.each([
    ['its caller accepts none', 'long', { 'accept-encoding': 'identity' }, 'Accept-Encoding'],
    ['its caller says nothing of it', 'long', {}, 'Accept-Encoding'],
    [
      'another site has asked',
      'long',
      { 'accept-encoding': 'br', 'sec-fetch-site': 'cross-site' },
      'Accept-Encoding',
    ],
    [
      'a subdomain has asked',
      'long',
      { 'accept-encoding': 'br', 'sec-fetch-site': 'same-site' },
      'Accept-Encoding',
    ],
    ['it is shorter', 'short', { 'accept-encoding': 'br' }, undefined],
    ['it is no JSON', 'metrics', { 'accept-encoding': 'br' }, undefined],
    ['it is a stream of events', 'events', { 'accept-encoding': 'br' }, undefined],
  ])('goes out as it is where %s', async (_why, path, asked, vary) => {
    const { headers, body } = await ask(path, asked)
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, vary])
    expect(body.toString()).toMatch(/ł|x/)
  })

  const needs = {
    guard: openGuard,
    holds: async () => true,
    proxies,
    record: () => undefined,
    clock: createClock(),
    log: createFakeLog(),
  }
  const inFunction = (accepted: string) =>
    httpEvent('GET /api/texts/long', undefined, { 'accept-encoding': accepted }) as HttpEvent

  it('goes out as it is rather than wait for another, of any group of routes, to be compressed', async () => {
    const [handle, other] = [lambda(needs, routes, handlers), lambda(needs, routes, handlers)]
    const answers = await Promise.all([handle, other, handle].map((one) => one(inFunction('br'), {})))
    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(['br', undefined, undefined])
    expect((await other(inFunction('br'), {})).headers['content-encoding']).toBe('br')
  })

  it('is given by a function in base64', async () => {
    const { isBase64Encoded, body } = await buffered(
      await lambda(needs, routes, handlers)(inFunction('gzip'), {}),
    )
    expect(isBase64Encoded).toBe(true)
    expect(JSON.parse(gunzipSync(Buffer.from(body, 'base64')).toString())).toEqual(LONG)
  })
})
