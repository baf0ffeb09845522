import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { routes } from '../../lib/api/routes.ts'
import { compile } from '../../lib/app/compile.ts'
import { Problem } from '../../lib/core/errors.ts'
import { inputReader } from '../../lib/http/input.ts'
import type { Route } from '../../lib/http/route.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { bodiesFor, values } from './bodies.ts'

describe('the input of a route in a process that lives long', () => {
  const parts = Object.entries<Route>(routes).flatMap(([name, { params, query, headers, body }]) =>
    Object.entries({ params, query, headers, body }).map(([part, schema]) => ({ name, part, schema })),
  )

  it.each(parts.filter(({ schema }) => schema !== undefined))(
    'has a schema that can be compiled: $name $part',
    ({ schema }) => {
      expect(() => z.compile(schema as z.ZodType, { strict: true })).not.toThrow()
    },
  )

  /** What a request is read as, or what it is told. */
  const outcomeOf = (read: ReturnType<typeof inputReader>, route: Route, value: unknown) => {
    const event = httpEvent(`${route.method} /`, JSON.stringify(value))
    const texts = Object.fromEntries(
      Object.keys(route.query?.shape ?? {}).map((name) => [name, String(value)]),
    )
    try {
      return read({ ...event, queryStringParameters: texts, headers: { 'idempotency-key': '', ...texts } })
    } catch (thrown) {
      if (thrown instanceof Problem) return { code: thrown.code, details: thrown.details }
      throw thrown
    }
  }

  it.each(Object.entries<Route>(routes))('is read alike, compiled or not: %s', (_name, route) => {
    const [ordinary, compiled] = [inputReader(route), inputReader(route, compile)]
    const good = { title: ' a title ', metadata: { a: [1, null] }, unknown: 1 }
    for (const value of [...bodiesFor(route), ...values, good])
      expect(outcomeOf(compiled, route, value)).toEqual(outcomeOf(ordinary, route, value))
  })
})
