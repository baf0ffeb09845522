import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { routes } from '../../lib/api/routes.ts'
import { readConfig } from '../../lib/config/config.ts'
import { Problem } from '../../lib/core/errors.ts'
import { listIn, queryInt, queryList } from '../../lib/core/page.ts'
import { inputReader } from '../../lib/http/input.ts'
import type { Route } from '../../lib/http/route.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { bodiesFor } from './bodies.ts'

const at = {
  method: 'POST',
  path: '/api/words',
  summary: '',
  access: 'public',
  response: z.object({}),
} as const

/** What a request with that body is told, as its error and field by field. */
const inputProblem = (route: Route, body: unknown) => {
  try {
    inputReader(route)(httpEvent(`${route.method} /`, body === undefined ? undefined : JSON.stringify(body)))
    return undefined
  } catch (thrown) {
    if (thrown instanceof Problem) return thrown
    throw thrown
  }
}

const messageFor = (schema: z.ZodType, value: unknown) =>
  inputProblem({ ...at, body: z.object({ it: schema }) }, { it: value })?.message

const texts: [schema: z.ZodType, value: unknown, text: string][] = [
  [z.string(), undefined, 'is required'],
  [z.enum(['a', 'b']), undefined, 'is required'],
  [z.union([z.string(), z.number()]), undefined, 'is required'],
  [z.string(), null, 'must be text'],
  [z.number(), '1', 'must be a number'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.array(z.string()), 'a', 'must be a list'],
  [z.object({}), [], 'must be an object'],
  [z.record(z.string(), z.string()), 'a', 'must be an object'],
  [z.null(), 1, 'must be null'],
  // Of what is of another kind no size is told.
  [z.string().min(6).max(9), ['a'], 'must be text'],
  [z.string().min(6).nullable(), [], 'must be text'],
  [z.array(z.string()).min(3), 'a', 'must be a list'],
  [z.enum(['a', 'b', 'c']), 'd', 'must be one of a, b, c'],
  [z.literal('1.0'), '2.0', 'must be 1.0'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(8), 'short', 'must have at least 8 characters'],
  [z.string().max(1), 'ab', 'must have at most 1 character'],
  [z.string().length(4), 'abc', 'must have exactly 4 characters'],
  [z.array(z.string()).min(1), [], 'must not be empty'],
  [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 items'],
  [z.array(z.string()).length(5), [], 'must have exactly 5 items'],
  [z.int().min(1), 0, 'must be at least 1'],
  [z.int().max(9), 10, 'must be at most 9'],
  [z.number().gt(1), 1, 'must be more than 1'],
  [z.number().lt(1), 1, 'must be less than 1'],
  [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  [z.email(), 'ann', 'must be an email address'],
  [z.url(), 'no url', 'must be a URL'],
  [z.iso.datetime(), 'now', 'must be an ISO 8601 date and time'],
  [z.iso.date(), 'today', 'must be an ISO 8601 date'],
  [z.string().regex(/^a$/), 'b', 'has the wrong format'],
  [z.strictObject({}), { a: 1, b: 2 }, 'has unknown fields: a, b'],
  [z.union([z.string(), z.int()]), true, 'must be text or must be a number'],
  [z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), {}, 'is not valid'],
  // Of a union the forms of another kind are not told.
  [z.union([z.array(z.string()), z.literal(['a', 'b'])]), 'c', 'must be one of a, b'],
  [z.union([z.array(z.string()), z.enum(['a'])], { error: 'must be names' }), 'c', 'must be names'],
  [queryList(z.enum(['a', 'b'])), 'a,faild', '"faild" is not one of a, b'],
  [queryList(z.enum(['a'])), 'b', '"b" must be a'],
  [queryList(queryInt(1, 4)), '1,9', '"9" must be at most 4'],
  [queryList(z.string().min(1)), 'a,', '"" must not be empty'],
  [queryList(z.string().max(9)), 'é'.repeat(99), `"${'é'.repeat(60)}…" must have at most 9 characters`],
  [queryList(z.string()), 'a,'.repeat(100), 'must have at most 100 items'],
  [listIn(z.enum(['a', 'b'])), 'faild', '"faild" is not one of a, b'],
  [z.string().refine(() => false), 'a', 'is not valid'],
  [z.string().refine(() => false, 'must contain a letter'), 'a', 'must contain a letter'],
  [z.url({ error: 'must be an https URL' }), undefined, 'must be an https URL'],
]

describe('what is wrong with a request', () => {
  it.each(texts)('is told in words of people: %#', (schema, value, text) => {
    expect(messageFor(schema, value)).toBe(`it: ${text}`)
  })

  it('is reported by the place of each part, all of it, for programs too', () => {
    const kind = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a') }),
      z.object({ kind: z.literal('b') }),
    ])
    const names = z.record(z.string().max(3), z.string())
    const body = z.object({ kind, names, list: z.array(z.object({ at: z.int() })) })
    const wrong = { kind: { kind: 'c' }, names: { long: 'x' }, list: [{ at: 1 }, { at: 1.5 }] }
    const problem = inputProblem({ ...at, body }, wrong)
    const details = [
      { path: 'kind.kind', message: 'must be one of a, b' },
      { path: 'names.long', message: 'has a name that must have at most 3 characters' },
      { path: 'list.1.at', message: 'must be a whole number' },
    ]
    expect(problem).toMatchObject({ kind: 'invalid', code: 'validation_failed', details })
    expect(problem?.message).toBe(details.map(({ path, message }) => `${path}: ${message}`).join('; '))
  })

  it('names the item of a list that is at fault, also where a text would do', () => {
    const body = z.object({ status: listIn(z.enum(['a', 'b'])) })
    expect(inputProblem({ ...at, body }, { status: ['a', 'c'] })?.details).toEqual([
      { path: 'status.1', message: 'must be one of a, b' },
    ])
  })

  it('is reported of the whole where the whole is wrong', () => {
    expect(inputProblem({ ...at, body: z.object({}) }, 'text')?.message).toBe('body: must be an object')
  })

  it('is reported as the reader of a form can understand it', () => {
    const form = { email: 'ann', password: 'short', name: '\u200b' }
    expect(inputProblem(routes.signup, form)?.message).toBe(
      'email: must be an email address (ASCII only); password: must have at least 8 characters; ' +
        'password: must contain a number; name: must have a visible character',
    )
    expect(inputProblem(routes.login, {})?.message).toBe('email: is required; password: is required')
  })

  const OF_A_PROGRAM =
    /invalid|expected|received|too (small|big)|unrecognized|undefined|\bNaN\b|string|boolean/i

  it('is reported of the environment in the same words', () => {
    expect(() => readConfig({ SERVICE_MODE: 'maxi', PORT: 'x' })).toThrow(
      /^PORT: must be .*; SERVICE_MODE: must be one of/,
    )
  })

  it('is nowhere told in words of a program, whatever the route', () => {
    const spoken = new Set<string>()
    for (const route of Object.values<Route>(routes)) {
      for (const body of bodiesFor(route)) {
        const { details = [] } = inputProblem(route, body) ?? {}
        for (const { message } of details as { message: string }[]) spoken.add(message)
      }
    }
    expect(spoken.size).toBeGreaterThan(20)
    expect([...spoken].filter((message) => OF_A_PROGRAM.test(message))).toEqual([])
  })
})

it('takes null for no query, as gateways say it', () => {
  const route = { ...at, method: 'GET' as const, query: z.object({ limit: z.string().optional() }) }
  const event = { ...httpEvent('GET /'), queryStringParameters: null, pathParameters: null }
  expect(inputReader(route)(event)).toMatchObject({ input: { query: {} }, warnings: [] })
})
