import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { lambda } from '../../lib/http/lambda.ts'
import { defineRoutes } from '../../lib/http/route.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { openGuard, proxies } from '../fakes/guard.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { createFakeLog } from '../fakes/log.ts'

const needs = {
  guard: openGuard,
  holds: async () => true,
  proxies,
  record: () => undefined,
  clock: createFakeClock(),
  log: createFakeLog(),
}
const routes = defineRoutes({
  describe: { method: 'GET', path: '/api/own', summary: '', access: 'public', response: z.object({}) },
})
const handlers = { describe: async () => ({}) }
/** The function that answers for routes of other functions as well. */
const lastResort = lambda(needs, routes, handlers, [
  { method: 'GET', path: '/api/things/{id}' },
  { method: 'POST', path: '/api/things' },
  { method: 'GET', path: '/api/marks', writes: true },
  routes.describe,
])
/** The same routes, in the function of a group. */
const group = lambda(needs, routes, handlers)

const ask = (method: string, path: string, handler = lastResort) =>
  handler(httpEvent(`${method} ${path}`, undefined, { host: 'localhost:3000' }), {})

describe('a function that answers where no route is', () => {
  it.each([
    ['DELETE', '/api/things/1', 405, 'GET, HEAD'],
    ['GET', '/api/things', 405, 'POST'],
    ['HEAD', '/api/marks', 405, 'GET'],
    ['GET', '/api/nothing', 404, undefined],
    ['GET', '/api/own', 200, undefined],
    // The gateway has a route for none of these, or it would not have come here.
    ['GET', '/api/own/', 404, undefined],
    ['GET', '/api/things/1/', 404, undefined],
    ['DELETE', '/api/things/', 404, undefined],
    ['GET', '/', 404, undefined],
  ])('answers %s %s with %i', async (method, path, status, allow) => {
    const answer = await ask(method, path)
    expect([answer.statusCode, answer.headers.allow]).toEqual([status, allow])
  })
})

describe('a function that no gateway stands before', () => {
  it.each([
    ['GET', '/api/own', 200, undefined],
    ['POST', '/api/own', 405, 'GET, HEAD'],
    ['GET', '/api/own/', 404, undefined],
    ['POST', '/api/own/', 404, undefined],
  ])(
    'has no route that ends in a slash either: %s %s is answered %i',
    async (method, path, status, allow) => {
      const answer = await ask(method, path, group)
      expect([answer.statusCode, answer.headers.allow]).toEqual([status, allow])
    },
  )
})
