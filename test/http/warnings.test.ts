import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { openApiDocument } from '../../lib/api/openapi.ts'
import { routes, tables } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'
import { unknownKeys, type Warning } from '../../lib/http/warnings.ts'
import { openService } from '../journeys/opened-service.ts'

const Inner = z.object({ a: z.string() })
const Cat = z.object({ is: z.literal('cat'), lives: z.int() })
const Dog = z.object({ is: z.literal('dog'), walks: z.object({ a: z.int() }) })

const cases: [what: string, schema: z.ZodType, value: unknown, paths: string[]][] = [
  ['an object', Inner, { a: '', b: 1, c: { d: 1 } }, ['b', 'c']],
  ['objects within', z.object({ in: Inner }), { in: { a: '', b: 1 } }, ['in.b']],
  ['items', z.object({ all: z.array(Inner) }), { all: [{}, { b: 1 }] }, ['all.1.b']],
  ['values of a record', z.record(z.string(), Inner), { any: { b: 1 } }, ['any.b']],
  ['an open record', z.record(z.string(), z.unknown()), { any: { b: 1 } }, []],
  ['a loose object', z.looseObject({ a: Inner }), { b: 1, a: { b: 1 } }, []],
  ['what may be anything', z.object({ a: z.unknown(), b: z.any() }), { a: { c: 1 }, b: { c: 1 } }, []],
  ['what may be left out', z.object({ in: Inner.nullable().optional() }), { in: { b: 1 } }, ['in.b']],
  ['what has a default', Inner.prefault({ a: '' }), { b: 1 }, ['b']],
  ['what is changed on the way', Inner.transform(() => 1), { b: 1 }, ['b']],
  ['one of two', z.union([Cat, Dog]), { is: 'cat', lives: 9, tail: 1 }, ['tail']],
  [
    'one of two within',
    z.object({ pet: z.union([Cat, Dog]) }),
    { pet: { walks: { b: 1 } } },
    ['pet.walks.b'],
  ],
  ['two in one', z.intersection(Inner, z.object({ b: z.int() })), { a: '', b: 1, c: 1 }, ['c']],
  ['no object', z.string(), 'a', []],
]

const warningsFor = (schema: z.ZodType, value: unknown) => {
  const warnings: Warning[] = []
  unknownKeys(schema)(value, warnings)
  return warnings
}

describe('keys that a schema does not know', () => {
  it.each(cases)('are found in %s', (_what, schema, value, paths) => {
    expect(warningsFor(schema, value).map(({ path }) => path)).toEqual(paths)
  })

  it('are named as far as an answer can hold them', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${n}${'x'.repeat(5_000)}`, n]))
    const warnings = warningsFor(Inner, many)
    expect(warnings).toHaveLength(20)
    expect(Math.max(...warnings.map(({ path }) => path.length))).toBe(200)
  })

  it.each(Object.entries<Route>(routes))('are found in the input of %s', (_name, { body, query }) => {
    expect(warningsFor(body ?? z.object({}), { zz: 1 })).toHaveLength(1)
    expect(warningsFor(query ?? z.object({}), { zz: 1 })).toHaveLength(1)
  })
})

type Answer = { description: string; content: Record<string, { schema: Schema }> }
type Schema = { type?: string; anyOf?: Schema[]; properties?: Record<string, unknown> }

describe('the description of an answer', () => {
  const { paths = {} } = JSON.parse(JSON.stringify(openApiDocument({ tables, version: '1' }))) as {
    paths?: Record<string, Record<string, { operationId: string; responses: Record<string, Answer> }>>
  }
  const answers = Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) =>
        /^2/.test(status) ? [{ operationId, schema: content['application/json']?.schema }] : [],
      ),
    ),
  )
  const allows = (schema: Schema): boolean =>
    schema.anyOf?.every(allows) ?? schema.properties?.warnings !== undefined

  it('has warnings wherever it is a JSON object with names of its own', () => {
    const silent = answers.filter(({ schema }) => schema && !allows(schema))
    expect(answers.length).toBeGreaterThan(60)
    expect(silent.map(({ operationId }) => operationId)).toEqual(['openApi'])
  })
})

describe('a request with keys that the service does not know', () => {
  it('is answered with their names, and nothing of them is kept', async () => {
    await using service = await openService()
    const send = async (method: string, path: string, body?: object) => {
      const answer = await fetch(service.baseUrl + path, {
        method,
        ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
      })
      return (await answer.json()) as { task: { id: string }; warnings?: Warning[]; details?: Warning[] }
    }
    const warningPaths = ({ warnings = [] }: { warnings?: Warning[] }) => warnings.map(({ path }) => path)

    const made = await send('POST', '/api/tasks', {
      title: 'A task',
      promt: 'canary-of-a-key',
      role: 'admin',
      metadata: { anything: { goes: 1 } },
    })
    expect(made.warnings).toEqual([
      { path: 'promt', message: 'is unknown and was ignored' },
      { path: 'role', message: 'is unknown and was ignored' },
    ])
    const read = await send('GET', `/api/tasks/${made.task.id}`)
    expect(read.warnings).toBeUndefined()
    expect(JSON.stringify(read)).not.toContain('canary-of-a-key')
    expect(warningPaths(await send('GET', '/api/tasks?stauts=failed&limit=1'))).toEqual(['stauts'])
    const changed = await send('PATCH', '/api/settings', { queue: { concurency: 3 }, retry: { attempts: 4 } })
    expect(warningPaths(changed)).toEqual(['queue.concurency'])
    const refused = await send('POST', '/api/tasks', { promt: '' })
    expect([refused.details?.map(({ path }) => path), refused.warnings]).toEqual([['title'], undefined])
  })
})
