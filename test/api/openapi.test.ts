import { describe, expect, it } from '@jest/globals'
import { document as described } from '../../lib/api/document.ts'
import { apiHandlers } from '../../lib/api/openapi-route.ts'
import { tables } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'
import { VERSION } from '../../lib/version.ts'
import { inPieces } from '../fakes/pieces.ts'

type Json = Record<string, unknown>
type Operation = Json & {
  operationId: string
  tags: string[]
  security: Json[]
  parameters?: (Json & { name: string; in: string; required?: boolean })[]
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> }
  responses: Record<string, { description: string; content: Json }>
}
type Document = Json & {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; securitySchemes: Json }
}

// Through JSON, since that is the form that anybody reads.
const document = JSON.parse(JSON.stringify(described)) as Document
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)
const routes: [string, string, Route][] = Object.entries(tables).flatMap(([tag, table]) =>
  Object.entries(table).map(([name, route]): [string, string, Route] => [name, tag, route]),
)

const expectedSecurity = ({ access }: Route) => {
  if (access === 'public') return []
  const nobody = access === 'any' || access === 'optional' ? [{}] : []
  return [...nobody, { cookie: [] }, { bearer: [] }]
}

/** Every object in the document, at any depth. */
const objectsIn = (value: unknown): Json[] =>
  typeof value === 'object' && value !== null
    ? [...(Array.isArray(value) ? [] : [value as Json]), ...Object.values(value).flatMap(objectsIn)]
    : []

const at = (pointer: string) =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document)

describe('the description of the API', () => {
  it('is OpenAPI 3.1 and names the version of the service', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: VERSION }, servers: [{ url: '/' }] })
  })

  it('has each route of every table and nothing else', () => {
    const described = operations.map(({ path, method, operation }) => [method, path, operation.operationId])
    const served = routes.map(([name, , { method, path }]) => [method.toLowerCase(), path, name])
    expect(described.sort()).toEqual(served.sort())
  })

  it.each(routes)('describes %s with its tag, access, parameters and errors', (name, tag, route) => {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()] as Operation
    expect(operation).toMatchObject({ operationId: name, tags: [tag], summary: route.summary })
    expect(operation.security).toEqual(expectedSecurity(route))
    expect(operation['x-writes']).toBe(route.writes)
    const named = (place: string) =>
      (operation.parameters ?? []).filter((parameter) => parameter.in === place).map(({ name }) => name)
    expect(named('path')).toEqual([...route.path.matchAll(/\{(.+?)\}/g)].map(([, name]) => name))
    expect(named('query')).toEqual(Object.keys(route.query?.shape ?? {}))
    const body = route.body ?? route.rawBody
    expect(operation.requestBody !== undefined).toBe(body !== undefined)
    expect(named('header').sort()).toEqual(Object.keys(route.headers?.shape ?? {}).sort())
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining([
        String(route.status ?? 200),
        '403',
        '500',
        'default',
        ...(route.access === 'any' && route.alsoStatus !== 401 ? [] : ['401']),
        ...(route.limited ? ['429'] : []),
        ...(route.params ? ['400', '404'] : []),
        ...(body ? ['400', '413'] : []),
      ]),
    )
  })

  it('names the default of a number in a query', () => {
    const listTasks = operations.find(({ operation }) => operation.operationId === 'listTasks')
    expect(listTasks?.operation.parameters).toContainEqual(
      expect.objectContaining({
        name: 'limit',
        schema: expect.objectContaining({ type: 'integer', minimum: 1, maximum: 200, default: 50 }),
      }),
    )
  })

  it('requires every path parameter', () => {
    const parameters = operations.flatMap(({ operation }) => operation.parameters ?? [])
    const inPath = parameters.filter((parameter) => parameter.in === 'path')
    expect(inPath.length).toBeGreaterThan(0)
    expect(inPath.every(({ required }) => required === true)).toBe(true)
  })

  it('describes every answer and the form of its body', () => {
    for (const { operation } of operations) {
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^([2-5]\d\d|default)$/)
        expect(description).not.toBe('')
        for (const type of Object.values(content)) expect(type).toHaveProperty('schema')
      }
    }
  })

  it('refers to nothing that is not there', () => {
    const refs = objectsIn(document).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
    expect(refs.length).toBeGreaterThan(0)
    expect(refs.filter((ref) => at(ref) === undefined)).toEqual([])
    const schemes = operations.flatMap(({ operation }) => operation.security.flatMap(Object.keys))
    expect(schemes.filter((name) => !(name in document.components.securitySchemes))).toEqual([])
  })

  it('keeps what is used often as components with names a person would choose', () => {
    const names = Object.keys(document.components.schemas)
    expect(names).toEqual(expect.arrayContaining(['Task', 'CreateTask', 'TaskEvent', 'Problem']))
    expect(names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([])
  })

  it('closes no object: unknown keys are dropped, and answers may grow', () => {
    expect(objectsIn(document).filter(({ additionalProperties }) => additionalProperties === false)).toEqual(
      [],
    )
  })

  it('asks of a new task its title only', () => {
    const { required } = document.components.schemas.CreateTask as { required: string[] }
    expect(required).toEqual(['title'])
  })

  it('shows numbers of a query string as numbers with their bounds', () => {
    const parameters = document.paths['/api/tasks']?.get?.parameters ?? []
    const limit = parameters.find(({ name }) => name === 'limit')
    expect(limit).toMatchObject({ schema: { type: 'integer', minimum: 1, maximum: 200 } })
  })
})

describe('its handler', () => {
  it('makes it at the first request, and once', async () => {
    let made = 0
    const { openApi } = apiHandlers({ describe: async () => ({ openapi: '3.1.0', made: ++made }) })
    expect(made).toBe(0)
    const call = {
      principal: { userId: 'u', role: 'user' as const },
      requestId: 'r',
      header: () => undefined,
      cookies: () => [],
      origin: () => ({ address: '127.0.0.1', baseUrl: 'http://localhost', isSecure: false }),
      pieces: () => inPieces(),
      gone: () => new AbortController().signal,
    }
    const input = { params: undefined, query: undefined, headers: undefined, body: undefined }
    const answers = [await openApi(input, call), await openApi(input, call)]
    expect(answers).toMatchObject(Array(2).fill({ body: { raw: '{"openapi":"3.1.0","made":1}' } }))
  })
})
