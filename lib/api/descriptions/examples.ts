import { type PropertyText, properties } from './properties.ts'

/** JSON Schema in the form of `zod-openapi`. */
export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  description?: string
  examples?: unknown[]
  default?: unknown
  const?: unknown
  enum?: readonly unknown[]
  minimum?: number
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: readonly Schema[]
  not?: object
}
export type Schemas = Readonly<Record<string, Schema>>

/** The place of a schema: its component or operation, and its property. */
type Place = { owner: string; name?: string }

/** The text of a property: that of its owner takes precedence over that of its name. */
export const textOf = ({ owner, name = '' }: Place): PropertyText | undefined =>
  properties[`${owner}.${name}`] ?? (Object.hasOwn(properties, name) ? properties[name] : undefined)

const componentOf = ($ref: string) => $ref.split('/').at(-1) ?? ''

/** Fields that only some rows have, and that contradict the others. */
const SELDOM: readonly string[] = [
  ...[
    'error',
    'lastError',
    'waitingFor',
    'waiting',
    'waitingMs',
    'nextAttemptAt',
    'retriedFrom',
    'retriedBy',
    'report',
    'result',
  ],
  ...['warnings', 'fallbackFrom', 'notice', 'failing', 'accessKeyRequired'],
]

const scalars: Readonly<Record<string, (schema: Schema) => unknown>> = {
  string: ({ format }) => (format === 'date-time' ? '2026-01-15T09:30:00.000Z' : 'text'),
  number: ({ minimum = 1 }) => minimum,
  integer: ({ minimum = 1 }) => minimum,
  boolean: () => true,
  null: () => null,
}

const fits = (example: unknown, type: Schema['type']): boolean => {
  if (type === undefined) return true
  const types = [type].flat()
  if (Array.isArray(example)) return types.includes('array')
  if (typeof example === 'number') return types.includes('number') || types.includes('integer')
  return types.includes(typeof example)
}

/** An example of a schema; where the schema is too general, the texts of properties have one. */
export const exampleOf = (schema: Schema, schemas: Schemas, place: Place): unknown => {
  if (schema.$ref !== undefined) {
    const owner = componentOf(schema.$ref)
    return exampleOf(schemas[owner] ?? {}, schemas, { owner })
  }
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [, given] = textOf(place) ?? []
  if (given !== undefined && !schema.anyOf && fits(given, schema.type)) return given
  return composed(schema, schemas, place)
}

const composed = (schema: Schema, schemas: Schemas, place: Place): unknown => {
  if (schema.anyOf) return exampleOf(schema.anyOf[0] ?? {}, schemas, place)
  if (schema.type === 'array') return schema.items ? [exampleOf(schema.items, schemas, place)] : []
  if (schema.properties) return rowOf(schema, schemas, place)
  if (schema.type === 'object') return recordOf(schema, schemas, place)
  const [type = 'object'] = [schema.type ?? 'object'].flat()
  return schema.default ?? scalars[type]?.(schema) ?? {}
}

/** An example of a record with its required names. */
const recordOf = ({ required = [], additionalProperties }: Schema, schemas: Schemas, { owner }: Place) => {
  const value = typeof additionalProperties === 'object' ? additionalProperties : {}
  return Object.fromEntries(required.map((name) => [name, exampleOf(value, schemas, { owner, name })]))
}

/** The fields of every row; for a schema without required fields, all that do not contradict each other. */
const rowOf = ({ properties: fields = {}, required = [] }: Schema, schemas: Schemas, { owner }: Place) => {
  const isShown = (name: string) => required.includes(name) || (required.length < 2 && !SELDOM.includes(name))
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, { not }]) => isShown(name) && not === undefined)
      .map(([name, schema]) => [name, exampleOf(schema, schemas, { owner, name })]),
  )
}
