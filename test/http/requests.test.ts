import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { serve } from './serve.ts'
import { wordHandlers, wordRoutes } from './table.ts'

let service: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  service = await serve(wordRoutes, wordHandlers)
})
afterAll(() => service.close())

const json = { 'content-type': 'application/json' }
const post = (body: string, headers = {}) =>
  service.send({ method: 'POST', path: '/api/words', headers: { ...json, ...headers }, body })

describe('routing', () => {
  it.each([['/api/nowhere'], ['/'], ['//'], ['/api/words/one/two/three'], ['/%00'], ['/%E0%A4%A']])(
    'answers 404 as JSON for %s',
    async (path) => {
      const answer = await service.send({ path })
      expect(answer.status).toBe(404)
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(answer.json).toMatchObject({
        code: 'route_not_found',
        requestId: answer.headers['x-request-id'],
      })
    },
  )

  it('answers 405 with the methods that the path does have', async () => {
    const answer = await service.send({ method: 'DELETE', path: '/api/words' })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('POST')
    expect(answer.json).toMatchObject({ code: 'method_not_allowed' })
  })

  it.each([
    ['caf%C3%A9', 'café'],
    ['a%2Fb', 'a/b'],
    ['a%20b', 'a b'],
    ['%25', '%'],
  ])('hands the path parameter %s over as %s', async (encoded, word) => {
    const answer = await service.send({ path: `/api/words/${encoded}` })
    expect(answer.json).toEqual({ word })
  })

  it('answers 404 for a path parameter that is no text at all', async () => {
    const answer = await service.send({ path: '/api/words/%E0%A4%A' })
    expect(answer.status).toBe(404)
  })

  it('reads the query, and refuses one that does not fit with the field', async () => {
    expect((await service.send({ path: '/api/words/one?limit=7&other=x' })).json).toEqual({
      word: 'one',
      limit: 7,
      warnings: [{ path: 'other', message: 'is unknown and was ignored' }],
    })
    const refused = await service.send({ path: '/api/words/one?limit=1&limit=2' })
    expect(refused.status).toBe(400)
    expect(refused.json).toMatchObject({ code: 'validation_failed', details: [{ path: 'limit' }] })
  })

  it('notes every request under the pattern of its route, and unknown ones under none', async () => {
    service.records.length = 0
    await service.send({ path: '/api/words/secret-word' })
    await service.send({ path: '/api/nowhere' })
    expect(service.records.map(([routeKey, status]) => [routeKey, status])).toEqual([
      ['GET /api/words/{word}', 200],
      ['', 404],
    ])
  })
})

describe('HEAD', () => {
  it('answers as GET does, without the body', async () => {
    const get = await service.send({ path: '/api/words/one' })
    const head = await service.send({ method: 'HEAD', path: '/api/words/one' })
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
  })

  it('is named in Allow wherever GET is', async () => {
    const answer = await service.send({ method: 'PUT', path: '/api/words/one' })
    expect(answer.headers.allow).toBe('GET, HEAD')
  })
})

describe('a body', () => {
  it('reaches the handler without unknown keys', async () => {
    const answer = await post('{"word":"one","role":"admin"}')
    expect(answer.status).toBe(201)
    const warnings = [{ path: 'role', message: 'is unknown and was ignored' }]
    expect(answer.json).toEqual({ word: 'one', tags: [], warnings })
  })

  it.each([['{'], ['{"word":}'], ['word'], ['{"word":"a"}}'], ['\u0000']])(
    'that is %j is no JSON: 400',
    async (body) => {
      const answer = await post(body)
      expect(answer.status).toBe(400)
      expect(answer.json).toMatchObject({ code: 'invalid_json' })
    },
  )

  it.each([['[]'], ['null'], ['"text"'], ['{}'], ['']])(
    'that is %j is refused with what is missing',
    async (body) => {
      const answer = await post(body)
      expect(answer.status).toBe(400)
      expect(answer.json).toMatchObject({ code: 'validation_failed' })
    },
  )

  it('that is nested 5,000 levels deep is refused', async () => {
    const answer = await post(`{"word":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ code: 'json_too_deep' })
  })

  it.each([
    ['{"__proto__":{"admin":true},"word":"a"}', '__proto__'],
    ['{"word":"a","tags":[{"x":{"__proto__":1}}]}', 'tags.0.x.__proto__'],
  ])('with a __proto__ key is refused with its place: %s', async (body, path) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ details: [{ path, message: 'is not an allowed key' }] })
  })

  it.each([
    ['{"word":"half \\ud83d"}', 'word'],
    ['{"word":"a","tags":[{"x":"\\udc00"}]}', 'tags.0.x'],
  ])('with half a surrogate pair is refused with its place: %s', async (body, path) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ details: [{ path, message: 'is not well-formed Unicode' }] })
  })

  it('with thousands of faults is answered with the first ones only', async () => {
    const answer = await post(JSON.stringify({ word: 'a', tags: Array.from({ length: 50_000 }, () => 1) }))
    expect(answer.status).toBe(400)
    expect((answer.json as { details: unknown[] }).details).toHaveLength(100)
    expect(answer.text.length).toBeLessThan(50_000)
  })

  const large = JSON.stringify({ word: 'x'.repeat(1_048_576) })
  it.each([
    ['announced', { 'content-length': String(large.length) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('over the limit, %s, is 413 in the form of every error', async (_how, headers) => {
    const answer = await post(large, headers)
    expect(answer.status).toBe(413)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
    expect(answer.json).toMatchObject({ code: 'body_too_large', requestId: answer.headers['x-request-id'] })
  })
})

describe('a body without end', () => {
  it('is refused as soon as it passes the limit', async () => {
    const headers = { ...json, 'transfer-encoding': 'chunked' }
    const sent = request(`${service.url}/api/words`, { method: 'POST', headers, agent: false })
    // The connection is closed under what is still being sent.
    sent.on('error', () => undefined)
    sent.write('x'.repeat(1_048_577))
    const [answer] = await once(sent, 'response')
    expect(answer.statusCode).toBe(413)
    sent.destroy()
  })
})

describe('what goes wrong inside', () => {
  it('is 500 without a word of the cause, and in the log with it', async () => {
    const answer = await service.send({ method: 'POST', path: '/api/words/crash/fail' })
    expect(answer.status).toBe(500)
    expect(answer.json).toMatchObject({ code: 'internal_error' })
    expect(answer.text).not.toContain('hunter2')
    const { requestId } = answer.json as { requestId: string }
    expect(service.log.entries).toContainEqual(
      expect.objectContaining({ level: 'error', fields: expect.objectContaining({ requestId }) }),
    )
  })

  it('is told as it is when it was meant for the caller', async () => {
    const answer = await service.send({ method: 'POST', path: '/api/words/problem/fail' })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ details: [{ path: 'word', message: 'is a problem' }] })
  })
})

describe('every answer', () => {
  it.each([['/api/words/one'], ['/api/nowhere']])(
    'of %s is not stored, not sniffed, and has a request id',
    async (path) => {
      const { headers } = await service.send({ path })
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      expect(headers['x-request-id']).toMatch(/^req_/)
    },
  )
})
