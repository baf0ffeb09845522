import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { routes } from '../../lib/api/routes.ts'
import { Problem } from '../../lib/core/errors.ts'
import { inputReader } from '../../lib/http/input.ts'
import type { Route } from '../../lib/http/route.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { bodiesFor, values } from './bodies.ts'

const good = { title: 'a title', metadata: { a: [1, null] }, unknown: 1 }

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

  /** A request with that body, and `text` wherever the route takes one elsewhere. */
  const requestTo = ({ method, query, params }: Route, body: unknown, text: string) => {
    const filled = (names: object = {}) => Object.fromEntries(Object.keys(names).map((name) => [name, text]))
    return {
      ...httpEvent(`${method} /`, JSON.stringify(body)),
      pathParameters: filled(params?.shape),
      queryStringParameters: filled(query?.shape),
      headers: { 'idempotency-key': text },
    }
  }

  /** What a request is read as, or what it is told. */
  const outcomeOf = (read: ReturnType<typeof inputReader>, event: ReturnType<typeof requestTo>) => {
    try {
      return read(event)
    } catch (thrown) {
      if (thrown instanceof Problem) return { code: thrown.code, details: thrown.details }
      throw thrown
    }
  }

  it.each(Object.entries<Route>(routes))('is read alike, compiled or not: %s', (_name, route) => {
    const [ordinary, compiled] = [inputReader(route), inputReader(route, z.compile)]
    for (const body of [...bodiesFor(route), ...values, good, { task: good }])
      for (const text of ['', '1', 'k', 'true', 'title,status']) {
        const event = requestTo(route, body, text)
        expect(outcomeOf(compiled, event)).toEqual(outcomeOf(ordinary, event))
      }
  })

  it('is what the schema makes of it: trimmed, with its defaults, without what it does not know', () => {
    const event = requestTo(routes.createTask, good, 'k')
    const { input, warnings } = inputReader(routes.createTask, z.compile)(event)
    expect(input).toMatchObject({
      body: { title: 'a title', metadata: { a: [1, null] }, priority: 3, source: 'api', labels: [] },
      headers: { 'idempotency-key': 'k' },
    })
    expect(input).not.toHaveProperty('body.unknown')
    expect(warnings.map(({ path }) => path)).toEqual(['unknown'])
  })
})
