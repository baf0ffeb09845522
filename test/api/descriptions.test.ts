import { describe, expect, it } from '@jest/globals'
import { operations } from '../../lib/api/descriptions/operations.ts'
import { properties } from '../../lib/api/descriptions/properties.ts'
import { openApiDocument } from '../../lib/api/openapi.ts'
import { routes, tables } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'

type Schema = {
  $ref?: string
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
}
type Content = Record<string, { schema: Schema; example?: unknown }>
type Operation = {
  operationId: keyof typeof routes
  summary: string
  description?: string
  parameters?: { name: string; description?: string; example?: unknown; in: string }[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

const document = JSON.parse(JSON.stringify(openApiDocument({ tables, version: '1.2.3' }))) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const all = Object.values(document.paths).flatMap((methods) => Object.values(methods))
const successes = ({ responses }: Operation) =>
  Object.entries(responses)
    .filter(([status]) => /^[23]/.test(status))
    .flatMap(([, { content = {} }]) => Object.entries(content))
const bodies = ({ requestBody }: Operation) => Object.values(requestBody?.content ?? {})

/** The names of the properties of a schema that nothing describes, at any depth. */
const silent = (schema: Schema, owner: string): string[] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    ...(property.description || property.$ref ? [] : [`${owner}.${name}`]),
    ...silent(property, `${owner}.${name}`),
  ]),
  ...[schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])].flatMap((each) =>
    typeof each === 'object' ? silent(each, owner) : [],
  ),
]

describe('the description of each operation', () => {
  it.each(all.map((operation): [string, Operation] => [operation.operationId, operation]))(
    '%s says more than its summary, and has examples that its schemas take',
    (name, operation) => {
      const route: Route = routes[operation.operationId]
      expect(operation.description?.length).toBeGreaterThan(9)
      expect(operation.description).not.toBe(operation.summary)
      for (const { name: parameter, description, example } of operation.parameters ?? [])
        expect([parameter, description, example]).toEqual([parameter, expect.any(String), expect.anything()])
      for (const { example } of bodies(operation))
        expect((route.body ?? route.rawBody)?.safeParse(example)).toMatchObject({ success: true })
      const answers = successes(operation)
      expect(answers.length).toBeGreaterThan(0)
      for (const [mediaType, { example }] of answers)
        expect([
          name,
          mediaType.includes('json') ? route.response.safeParse(example).error : typeof example,
        ]).toEqual([name, mediaType.includes('json') ? undefined : 'string'])
    },
  )

  it('takes the parameters of its example', () => {
    const refused = Object.entries(operations).filter(([name, { example = {} }]) => {
      const { params, query } = example as { params?: object; query?: object }
      const route: Route = routes[name as keyof typeof routes]
      const text =
        query && Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]))
      return (
        route.params?.safeParse(params ?? {}).success === false ||
        route.query?.safeParse(text ?? {}).success === false
      )
    })
    expect(refused.map(([name]) => name)).toEqual([])
  })
})

describe('the description of each property', () => {
  it('is there, of components and of what operations take and answer', () => {
    const components = Object.entries(document.components.schemas)
    const inline = all.flatMap((operation) =>
      [...bodies(operation), ...successes(operation).map(([, answer]) => answer)].flatMap(({ schema }) =>
        silent(schema, operation.operationId),
      ),
    )
    expect([...components.flatMap(([name, schema]) => silent(schema, name)), ...inline]).toEqual([])
  })

  it('is of a property that there is', () => {
    const text = JSON.stringify(document)
    const owners = new Set<string>([...Object.keys(routes), ...Object.keys(document.components.schemas)])
    const unused = Object.keys(properties).filter((key) => {
      const [owner = '', name] = key.includes('.') ? key.split('.') : [undefined, key]
      return !text.includes(`"${name}"`) || (owner !== '' && !owners.has(owner))
    })
    expect(unused).toEqual([])
  })
})
