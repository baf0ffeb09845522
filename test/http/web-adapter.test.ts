import { describe, expect, it } from '@jest/globals'
import { behindWebAdapter } from '../../lib/http/trusted-proxies.ts'
import { eventFrom } from '../fakes/http-event.ts'

/** The address that a handler behind the adapter sees. */
const addressSeen = async (headers: Record<string, string>): Promise<string> => {
  const handler = behindWebAdapter(async ({ requestContext }) => ({
    statusCode: 200,
    headers: {},
    body: requestContext.http.sourceIp,
  }))
  const event = eventFrom('127.0.0.1', headers)
  return String((await handler(event, { gone: () => new AbortController().signal })).body)
}

describe('a request behind the Lambda Web Adapter', () => {
  it('comes from the address that the function URL saw', async () => {
    const context = JSON.stringify({ http: { method: 'GET', sourceIp: '203.0.113.7' }, accountId: '1' })
    expect(await addressSeen({ 'x-amzn-request-context': context })).toBe('203.0.113.7')
  })

  it('is known by the id of its invocation', async () => {
    const handler = behindWebAdapter(async (_event, { awsRequestId }) => ({
      statusCode: 200,
      headers: {},
      body: String(awsRequestId),
    }))
    const idSeen = async (invocation: string) =>
      (
        await handler(
          eventFrom('127.0.0.1', {
            'x-amzn-request-context': '{"http":{"sourceIp":"203.0.113.7"}}',
            'x-amzn-lambda-context': invocation,
          }),
          {},
        )
      ).body
    expect(await idSeen('{"request_id":"8f5a-1","deadline":1}')).toBe('8f5a-1')
    for (const garbage of ['', '{', '{}']) expect(await idSeen(garbage)).toBe('undefined')
  })

  it('keeps the address of its connection when no adapter says one', async () => {
    expect(await addressSeen({})).toBe('127.0.0.1')
    for (const garbage of ['{', '{}', 'null', '{"http":{"sourceIp":1}}'])
      expect(await addressSeen({ 'x-amzn-request-context': garbage })).toBe('127.0.0.1')
  })
})
