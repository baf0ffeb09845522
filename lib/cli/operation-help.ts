import type { Route } from '../http/route.ts'
import { columns } from './command.ts'

/** The part of JSON Schema that the OpenAPI document of the service has. */
type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }
type Content = { content?: Record<string, { schema: Schema }> }
type Operation = {
  operationId: string
  summary: string
  description?: string
  parameters?: Parameter[]
  requestBody?: Content
  responses: Record<string, Content>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** Fields of objects within objects are listed to this depth: below it an object is named. */
const DEEPEST = 3
const MOST_VALUES = 12
const TIMES: Readonly<Record<string, string>> = { 'date-time': 'time', date: 'date' }

const findOperation = ({ path, method }: Route, { paths }: Document): Operation | undefined =>
  paths[path]?.[method.toLowerCase()]

const createFields = ({ components: { schemas } }: Document) => {
  const resolved = (schema: Schema): Schema => {
    const target = schema.$ref && schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)]
    if (!target) return schema
    const { $ref: _, ...own } = schema
    return { ...resolved(target), ...own }
  }

  const kind = (given: Schema): string => {
    const schema = resolved(given)
    const alternatives = schema.anyOf ?? schema.oneOf
    if (alternatives) return [...new Set(alternatives.map(kind))].join(' or ')
    if (schema.enum) return values(schema.enum)
    return schema.items ? `list of ${kind(schema.items)}` : plainKind(schema)
  }

  const values = (all: readonly unknown[]): string =>
    [...all.slice(0, MOST_VALUES).map(String), ...(all.length > MOST_VALUES ? ['…'] : [])].join(' | ')

  const plainKind = (schema: Schema): string => {
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    const named = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type
    const name = TIMES[schema.format ?? ''] ?? named ?? 'any JSON'
    return [name, range(schema)].filter(Boolean).join(' ')
  }

  const range = ({ minimum, maximum, minLength, maxLength }: Schema): string => {
    const [least, most, unit] =
      minimum === undefined && maximum === undefined
        ? [minLength, maxLength, ' characters']
        : [minimum, maximum, '']
    const isBound = (value: number | undefined) =>
      value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER
    if (isBound(least) && isBound(most)) return `${least} to ${most}${unit}`
    if (isBound(least) && (unit === '' || Number(least) > 1)) return `from ${least}${unit}`
    return isBound(most) ? `up to ${most}${unit}` : ''
  }

  const row = (name: string, schema: Schema, isRequired: boolean, about?: string): [string, string] => {
    const { description = about, default: byDefault } = { ...resolved(schema) }
    const facts = [
      kind(schema),
      isRequired ? 'required' : '',
      byDefault === undefined ? '' : `${JSON.stringify(byDefault)} by default`,
    ].filter(Boolean)
    return [name, `${facts.join(', ')}${description ? `. ${description}` : ''}`]
  }

  /** The object whose fields a value has: itself, or the items of a list. */
  const objectIn = (given: Schema): { schema: Schema; suffix: string } => {
    const schema = resolved(given)
    if (schema.items) return { schema: objectIn(schema.items).schema, suffix: '[]' }
    const only = (schema.anyOf ?? schema.oneOf)?.map(resolved).filter(({ properties }) => properties)
    return { schema: only?.length === 1 ? (only[0] ?? schema) : schema, suffix: '' }
  }

  /** A row for each field, with those of objects within it. */
  const fields = (given: Schema, isAnswer: boolean, path = '', depth = 1): [string, string][] => {
    const { schema } = objectIn(given)
    return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
      const place = `${path}${name}`
      const own = row(place, field, !isAnswer && (schema.required?.includes(name) ?? false))
      const { suffix } = objectIn(field)
      return [own, ...(depth < DEEPEST ? fields(field, isAnswer, `${place}${suffix}.`, depth + 1) : [])]
    })
  }
  return { row, fields, kind }
}

const schemaIn = ({ content = {} }: Content): Schema | undefined => Object.values(content)[0]?.schema

/** What an operation takes and answers, of the description of the API. */
export const operationHelp = (name: string, route: Route, document: object): string => {
  const described = document as Document
  const operation = findOperation(route, described)
  if (operation === undefined) throw new Error(`The API has no operation ${name}`)
  const { row, fields, kind } = createFields(described)
  const { parameters = [], requestBody, responses, summary, description } = operation
  const [status = '', answer = {}] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  const section = (title: string, rows: [string, string][], whole?: Schema) => {
    if (rows.length > 0) return [`${title}:`, columns(rows), '']
    return whole === undefined ? [] : [`${title}: ${kind(whole)}`, '']
  }
  const given = (place: string) =>
    parameters
      .filter((each) => (each.in === 'header') === (place === 'header'))
      .map(({ name, schema, required = false, description }) => row(name, schema, required, description))
  const body = requestBody && schemaIn(requestBody)
  const answered = schemaIn(answer)
  const usage = [
    `Usage: agent-tasks api ${name}`,
    ...parameters.filter((each) => each.in === 'path').map((each) => `${each.name}=…`),
    ...(parameters.some((each) => each.in === 'query') ? ['[name=value …]'] : []),
    ...(body ? ['--body <json>'] : []),
  ].join(' ')
  return [
    usage,
    '',
    `${route.method} ${route.path}: ${summary}`,
    ...(description ? [description] : []),
    '',
    ...section('Parameters, as name=value', given('query')),
    ...section('Headers, as --header "name: value"', given('header')),
    ...(body ? section('Body', fields(body, false), body) : []),
    ...(answered ? section(`Response, ${status}`, fields(answered, true), answered) : []),
  ]
    .join('\n')
    .trimEnd()
}
