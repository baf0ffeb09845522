import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { ApiError } from '../../lib/api/api-error.ts'
import { createClient } from '../../lib/api/client.ts'
import { routes } from '../../lib/api/routes.ts'
import { serve } from '../http/serve.ts'
import { pieces, wordHandlers, wordRoutes } from '../http/table.ts'

let service: Awaited<ReturnType<typeof serve>>
const connect = (settings = {}) => createClient(wordRoutes, { baseUrl: service.url, ...settings })
beforeAll(async () => {
  service = await serve(wordRoutes, wordHandlers)
})
afterAll(() => service.close())

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => error,
  )
/** A client of a service that always gives this answer. */
const answered = (response: Response) =>
  createClient(wordRoutes, { baseUrl: '', fetch: async () => response }).health()

describe('the client', () => {
  it('has a method for every route of the service', () => {
    expect(Object.keys(createClient(routes, { baseUrl: '' }))).toEqual(Object.keys(routes))
  })

  it('sends a body and reads the answer', async () => {
    expect(await connect().addWord({ body: { word: 'one', tags: ['a'] } })).toEqual({
      word: 'one',
      tags: ['a'],
    })
  })

  it.each([['a/b'], ['café'], ['100%'], ['a b?c#d']])(
    'brings the path parameter %s over unharmed',
    async (word) => {
      expect(await connect().getWord({ params: { word } })).toEqual({ word })
    },
  )

  it('takes query values as text or as what they mean, and leaves out what is undefined', async () => {
    const client = connect()
    const params = { word: 'one' }
    expect(await client.getWord({ params, query: { limit: 7 } })).toEqual({ word: 'one', limit: 7 })
    expect(await client.getWord({ params, query: { limit: '7' } })).toEqual({ word: 'one', limit: 7 })
    expect(await client.getWord({ params, query: { limit: undefined } })).toEqual({ word: 'one' })
  })

  it('works with a base URL that ends in a slash', async () => {
    expect(await connect({ baseUrl: `${service.url}/` }).health()).toEqual({ word: 'well' })
  })

  it('throws what the service said of a failure', async () => {
    const error = await failure(connect().failWord({ params: { word: 'problem' } }))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      status: 400,
      code: 'validation_failed',
      message: 'word: is a problem',
      details: [{ path: 'word', message: 'is a problem' }],
      requestId: expect.stringMatching(/^req_/),
    })
  })

  it('sends the headers of the client and of the call', async () => {
    const client = connect({ headers: { authorization: 'Bearer abc' } })
    expect(await failure(client.getWord({ params: { word: 'one' } }))).toMatchObject({ status: 401 })
    const headers = { origin: 'https://evil.example' }
    expect(await failure(connect().addWord({ body: { word: 'a' } }, { headers }))).toMatchObject({
      status: 403,
      code: 'foreign_origin',
    })
  })

  it('gives up when it is told to', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    expect(await failure(connect().health({}, { signal }))).toMatchObject({ message: 'enough' })
  })

  it('reads an answer in pieces, as a whole or as a stream', async () => {
    expect(await connect().exportWords()).toEqual(['one', 'two'])
    const { body } = await connect().exportWords.raw()
    const read: string[] = []
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) read.push(piece)
    expect(read.join('')).toBe('["one","two"]')
    expect(pieces.pulled).toBeGreaterThan(0)
  })

  it('never takes an answer that broke off for whole', async () => {
    expect(await failure(connect().exportWords({ query: { cut: '1' } }))).toMatchObject({ name: 'TypeError' })
    const cut = new Response('["one"', { headers: { 'content-type': 'application/json' } })
    expect(await failure(answered(cut))).toMatchObject({ name: 'SyntaxError' })
  })

  it('takes no success without JSON for an answer, which another server gives', async () => {
    const page = new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } })
    expect(await failure(answered(page))).toMatchObject({
      name: 'ApiError',
      status: 200,
      code: 'http_200',
      body: '<h1>Welcome</h1>',
      message: 'The service answered 200 without JSON',
    })
  })

  it('makes an error of whatever a proxy answers in between', async () => {
    const page = new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'retry-after': '3' } })
    expect(await failure(answered(page))).toMatchObject({
      status: 502,
      code: 'http_502',
      message: 'The service answered 502',
      body: '<h1>Bad gateway</h1>',
      retryAfterMs: 3_000,
    })
  })
})
