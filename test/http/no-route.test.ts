import { describe, expect, it } from '@jest/globals'

import { lambda } from '../../lib/http/lambda.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { front, openGuard } from '../fakes/guard.ts'
import { createFakeLog } from '../fakes/log.ts'

/** The function that answers for routes of other functions: it has none itself. */
const lastResort = lambda(
  { guard: openGuard, front, record: () => undefined, clock: createFakeClock(), log: createFakeLog() },
  {},
  {},
  [
    { method: 'GET', path: '/api/things/{id}' },
    { method: 'POST', path: '/api/things' },
    { method: 'GET', path: '/api/marks', writes: true },
  ],
)
const ask = async (method: string, path: string) => {
  const requestContext = { requestId: 'req_1', http: { method, path, sourceIp: '127.0.0.1' } }
  const headers = { host: 'localhost:3000' }
  const event = { version: '2.0' as const, routeKey: '', rawPath: path, rawQueryString: '', headers }
  return lastResort({ ...event, requestContext, isBase64Encoded: false }, {})
}

describe('a function that answers where no route is', () => {
  it.each([
    ['DELETE', '/api/things/1', 405, 'GET, HEAD'],
    ['GET', '/api/things', 405, 'POST'],
    ['HEAD', '/api/marks', 405, 'GET'],
    ['GET', '/api/nothing', 404, undefined],
  ])('answers %s %s with %i', async (method, path, status, allow) => {
    const answer = await ask(method, path)
    expect([answer.statusCode, answer.headers.allow]).toEqual([status, allow])
  })
})
