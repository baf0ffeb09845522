import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { mergeRoutes, routes, tables } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'

const route = (method: Route['method'], path: string): Route => ({
  method,
  path,
  summary: 'A route',
  access: 'session',
  response: z.object({}),
})

describe('the tables merged into one', () => {
  it('have every route of each of them', () => {
    const each = Object.values(tables).map((table) => Object.keys(table).length)
    expect(Object.keys(routes)).toHaveLength(each.reduce((sum, count) => sum + count))
  })

  it.each([
    ['a name', { a: { same: route('GET', '/a') }, b: { same: route('GET', '/b') } }, 'Two routes are same'],
    [
      'a method and path',
      { a: { one: route('GET', '/a') }, b: { two: route('GET', '/a') } },
      'Two routes are GET /a',
    ],
    [
      'a path but for the names of its parameters',
      { a: { one: route('GET', '/a/{id}') }, b: { two: route('GET', '/a/{name}') } },
      'Two routes are GET /a/{}',
    ],
  ])('may not share %s', (_what, clashing, message) => {
    expect(() => mergeRoutes(clashing)).toThrow(message)
  })

  it('may share a path under different methods', () => {
    const merged = mergeRoutes({ a: { one: route('GET', '/a') }, b: { two: route('POST', '/a') } })
    expect(Object.keys(merged)).toEqual(['one', 'two'])
  })
})
