import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { DEFAULT_BODY_LIMIT, readJsonBody } from '../../lib/http/body.ts'
import type { HttpEvent } from '../../lib/http/event.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { serve } from './serve.ts'
import { wordHandlers, wordRoutes } from './table.ts'

const eventWith = (body: string, isBase64Encoded = false): HttpEvent => ({
  ...httpEvent('POST /', body),
  isBase64Encoded,
})

/** A JSON text of exactly so many bytes, of characters of two bytes each. */
const textOf = (bytes: number) => `"${'é'.repeat((bytes - 2) / 2)}"`

describe('the body of an event of a gateway', () => {
  it.each([
    ['as text', (text: string) => eventWith(text)],
    ['in base64', (text: string) => eventWith(Buffer.from(text).toString('base64'), true)],
  ])('has as many bytes as the limit, and not one more: %s', (_how, event) => {
    expect(readJsonBody(event(textOf(DEFAULT_BODY_LIMIT)))).toHaveLength(DEFAULT_BODY_LIMIT / 2 - 1)
    expect(() => readJsonBody(event(`${textOf(DEFAULT_BODY_LIMIT)} `))).toThrow(
      expect.objectContaining({ kind: 'too_large', code: 'body_too_large' }),
    )
    expect(() => readJsonBody(event(textOf(12)), 11)).toThrow(
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
