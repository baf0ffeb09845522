import { describe, expect, it } from '@jest/globals'
import type { HttpEvent } from '../../lib/http/event.ts'
import { behindWebAdapter } from '../../lib/http/web-adapter.ts'

const event = (headers: Record<string, string>): HttpEvent => ({
  version: '2.0',
  routeKey: '',
  rawPath: '/',
  rawQueryString: '',
  headers,
  requestContext: { requestId: 'req_1', http: { method: 'GET', path: '/', sourceIp: '127.0.0.1' } },
  isBase64Encoded: false,
})

/** The address that a handler behind the adapter sees. */
const addressSeen = async (headers: Record<string, string>): Promise<string> => {
  const handler = behindWebAdapter(async ({ requestContext }) => ({
    statusCode: 200,
    headers: {},
    body: requestContext.http.sourceIp,
  }))
  return String((await handler(event(headers), { gone: () => new AbortController().signal })).body)
}

describe('a request behind the Lambda Web Adapter', () => {
  it('comes from the address that the function URL saw', async () => {
    const context = JSON.stringify({ http: { method: 'GET', sourceIp: '203.0.113.7' }, accountId: '1' })
    expect(await addressSeen({ 'x-amzn-request-context': context })).toBe('203.0.113.7')
  })

  it('keeps the address of its connection when no adapter says one', async () => {
    expect(await addressSeen({})).toBe('127.0.0.1')
    for (const garbage of ['{', '{}', 'null', '{"http":{"sourceIp":1}}'])
      expect(await addressSeen({ 'x-amzn-request-context': garbage })).toBe('127.0.0.1')
  })
})
