import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import type { HttpHandler } from '../../lib/http/event.ts'
import { defineRoutes } from '../../lib/http/route.ts'
import { createDispatch } from '../../lib/http/router.ts'

const routes = defineRoutes({
  one: { method: 'GET', path: '/api/things/{id}', summary: 'One', access: 'public', response: z.object({}) },
  all: { method: 'GET', path: '/api/things', summary: 'All', access: 'public', response: z.object({}) },
})
const handler = (): HttpHandler => async () => ({ statusCode: 200, headers: {}, body: '' })

describe('the groups of the service', () => {
  it('may each have many routes below one prefix', () => {
    const things = handler()
    const dispatch = createDispatch([{ routes, handler: things }], handler())
    expect(dispatch('/api/things/1')).toBe(things)
  })

  it('cannot share a prefix, since the routes of one of them would never be found', () => {
    const both = [handler(), handler()].map((one) => ({ routes, handler: one }))
    expect(() => createDispatch(both, handler())).toThrow('Two groups have /api/things')
  })
})
