import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { DEFAULT_BODY_LIMIT, readJsonBody } from '../../lib/http/body.ts'
import type { HttpEvent } from '../../lib/http/event.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { answerTo } from './answer.ts'
import { serve } from './serve.ts'
import { wordHandlers, wordRoutes } from './table.ts'

const eventWith = (body: string, isBase64Encoded = false): HttpEvent => ({
  ...httpEvent('POST /', body),
  isBase64Encoded,
})

/** A JSON text of exactly so many bytes, of characters of two bytes each. */
const jsonString = (bytes: number) => `"${'é'.repeat((bytes - 2) / 2)}"`

describe('the body of an event of a gateway', () => {
  it.each([
    ['as text', (text: string) => eventWith(text)],
    ['in base64', (text: string) => eventWith(Buffer.from(text).toString('base64'), true)],
  ])('has as many bytes as the limit, and not one more: %s', (_how, event) => {
    expect(readJsonBody(event(jsonString(DEFAULT_BODY_LIMIT)))).toHaveLength(DEFAULT_BODY_LIMIT / 2 - 1)
    expect(() => readJsonBody(event(`${jsonString(DEFAULT_BODY_LIMIT)} `))).toThrow(
      expect.objectContaining({ kind: 'too_large', code: 'body_too_large' }),
    )
    expect(() => readJsonBody(event(jsonString(12)), 11)).toThrow(
      expect.objectContaining({ code: 'body_too_large' }),
    )
  })

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('may be 64 levels deep, and not one more: %s', (_what, open, close) => {
    const nested = (levels: number) =>
      eventWith(`${open.repeat(levels)}${open === '[' ? '' : '1'}${close.repeat(levels)}`)
    expect(() => readJsonBody(nested(64))).not.toThrow()
    expect(() => readJsonBody(nested(65))).toThrow(expect.objectContaining({ code: 'json_too_deep' }))
  })

  it.each([
    ['few values', 0],
    ['more than the middleware is given', 1_000],
  ])('is read to the same value, and refused in the same words: %s', (_what, more) => {
    const rest = JSON.stringify(Array.from({ length: more }, (_, n) => n))
    const read = (value: string) => readJsonBody(eventWith(`{"rest":${rest},"value":${value}}`))
    const data = '{"constructor":{"prototype":{"a":1}},"toString":null,"list":[1,"é\\u0000",true,{}]}'
    expect(read(data)).toEqual({ rest: JSON.parse(rest), value: JSON.parse(data) })
    expect(() => read('{"__proto__":{"a":1}}')).toThrow(
      expect.objectContaining({ details: [{ path: 'value.__proto__', message: 'is not an allowed key' }] }),
    )
    for (const text of ['{', 'undefined', "'a'", '[1,]', '01'])
      expect(() => read(text)).toThrow(
        expect.objectContaining({ code: 'invalid_json', message: 'body: is not valid JSON' }),
      )
  })

  it('holds no number that a double cannot, wherever it stands', () => {
    const inside = (number: string) => eventWith(`{"metadata":{"list":[0,${number}]}}`)
    expect(readJsonBody(inside('1.7976931348623157e308'))).toEqual({
      metadata: { list: [0, Number.MAX_VALUE] },
    })
    for (const number of ['1e309', '-1e309'])
      expect(() => readJsonBody(inside(number))).toThrow(
        expect.objectContaining({ details: [{ path: 'metadata.list.1', message: 'is too large a number' }] }),
      )
  })
})

/** As a Latin-1 client sends it: each letter a byte. */
const latin1 = Buffer.from('{"word":"Käse"}', 'latin1')

describe('a body that is not UTF-8', () => {
  let service: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    service = await serve(wordRoutes, wordHandlers)
  })
  afterAll(() => service.close())

  const post = (body: Buffer, headers = {}) =>
    service.send({
      method: 'POST',
      path: '/api/words',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })

  /** Sent in two pieces, the second when the first has been taken. */
  const inTwo = async (body: Buffer, at: number) => {
    const sent = request(`${service.url}/api/words`, { method: 'POST', agent: false })
    await new Promise((taken) => sent.write(body.subarray(0, at), taken))
    sent.end(body.subarray(at))
    return answerTo(sent)
  }

  it.each([
    ['Latin-1', latin1],
    ['half a character at its end', Buffer.from('"ä').subarray(0, 2)],
    ['half a surrogate pair', Buffer.from('{"word":"\xed\xa0\xbd"}', 'latin1')],
    ['a letter that is longer than it need be', Buffer.from('{"word":"\xc1\x81"}', 'latin1')],
    ['UTF-16', Buffer.from('{"word":"ä"}', 'utf16le').subarray(0, -4)],
  ])('is refused, and no letter of it replaced: %s', async (_what, body) => {
    const answers = [
      await post(body),
      await post(body, { 'transfer-encoding': 'chunked' }),
      await inTwo(body, 1),
    ]
    for (const { status, json } of answers) {
      expect([status, json]).toEqual([
        400,
        {
          error: 'body: is not UTF-8',
          code: 'invalid_json',
          details: [{ path: '', message: 'is not UTF-8' }],
          requestId: expect.any(String),
        },
      ])
    }
  })

  it('is refused in the same words when a gateway hands it over in base64', () => {
    expect(() => readJsonBody(eventWith(latin1.toString('base64'), true))).toThrow(
      expect.objectContaining({ code: 'invalid_json', message: 'body: is not UTF-8' }),
    )
  })

  it('is not looked at before its caller', async () => {
    expect(await post(latin1, { authorization: 'Bearer x' })).toMatchObject({ status: 401 })
  })

  it('is none that comes in pieces, wherever they part', async () => {
    const body = Buffer.from('{"word":"€🧀ä"}')
    for (let at = 1; at < body.length; at++)
      expect((await inTwo(body, at)).json).toEqual({ word: '€🧀ä', tags: [] })
  })

  it('is none that says U+FFFD, or begins with a byte order mark, which is no JSON', async () => {
    expect((await post(Buffer.from('{"word":"\ufffd"}'))).json).toEqual({ word: '\ufffd', tags: [] })
    expect((await post(Buffer.from('\ufeff{"word":"a"}'))).json).toMatchObject({
      error: 'body: is not valid JSON',
      code: 'invalid_json',
    })
  })
})

describe('a body that announces more than the limit', () => {
  let service: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    service = await serve(wordRoutes, wordHandlers)
  })
  afterAll(() => service.close())

  it('is refused before a byte of it came', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': String(DEFAULT_BODY_LIMIT + 1) }
    const sent = request(`${service.url}/api/words`, { method: 'POST', headers, agent: false })
    sent.on('error', () => undefined)
    sent.flushHeaders()
    const [answer] = await once(sent, 'response')
    expect(answer.statusCode).toBe(413)
    sent.destroy()
  })
})
