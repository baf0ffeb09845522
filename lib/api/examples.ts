export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  description?: string
  examples?: readonly unknown[]
  default?: unknown
  const?: unknown
  enum?: readonly unknown[]
  minimum?: number
  minItems?: number
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: readonly Schema[]
}
export type Schemas = Readonly<Record<string, Schema>>

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-15T09:30:00.000Z',
  uri: 'https://example.com',
}

const scalars: Readonly<Record<string, (schema: Schema) => unknown>> = {
  string: ({ format = '' }) => formats[format] ?? 'text',
  number: ({ minimum = 1 }) => minimum,
  integer: ({ minimum = 1 }) => minimum,
  boolean: () => true,
  null: () => null,
}

/** The example of a schema, or one made of its parts: for an object the required fields, and those with an example. */
export const schemaExample = (schema: Schema, schemas: Schemas): unknown => {
  const { $ref, examples = [], enum: [first] = [], anyOf, type = 'object' } = schema
  const [given = schema.const ?? first ?? schema.default] = examples
  if (given !== undefined) return given
  if ($ref !== undefined) return schemaExample(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas)
  if (anyOf) return schemaExample(anyOf[0] ?? {}, schemas)
  const [kind = ''] = [type].flat()
  if (kind === 'array') return Array(schema.minItems ?? 1).fill(schemaExample(schema.items ?? {}, schemas))
  return kind === 'object' ? objectExample(schema, schemas) : scalars[kind]?.(schema)
}

const objectExample = (
  { required = [], properties = {}, additionalProperties }: Schema,
  schemas: Schemas,
) => {
  const values = typeof additionalProperties === 'object' ? additionalProperties : {}
  const names = Object.keys(properties).filter(
    (name) => properties[name]?.examples && !required.includes(name),
  )
  return Object.fromEntries(
    [...required, ...names].map((name) => [name, schemaExample(properties[name] ?? values, schemas)]),
  )
}
