import type { openApiDocument } from '../../lib/api/openapi.ts'

type Schema = {
  $ref?: string
  type?: string
  description?: string
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: readonly Schema[]
  enum?: readonly unknown[]
  const?: unknown
}
type Parameter = { in: string; name: string; required?: boolean; description?: string; schema: Schema }
type Content = { content?: Readonly<Record<string, { schema: Schema }>> }
type Operation = {
  operationId: string
  summary: string
  description?: string
  parameters?: readonly Parameter[]
  requestBody?: Content
  responses: Readonly<Record<string, Content>>
}
type Document = {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ')

const comment = (lines: readonly (string | undefined)[]): string => {
  const given = lines.filter((line) => line !== undefined && line !== '')
  if (given.length === 0) return ''
  const text = given.join('\n').replaceAll('*/', '*\\/')
  return text.includes('\n') ? `/**\n${text.replaceAll(/^/gm, ' * ')}\n */\n` : `/** ${text} */\n`
}

const propertyName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const typeText = (schema: Schema): string => {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeText))].join(' | ')
  return typesByName[schema.type ?? '']?.(schema) ?? 'unknown'
}

const typesByName: Readonly<Record<string, (schema: Schema) => string>> = {
  string: () => 'string',
  number: () => 'number',
  integer: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: ({ items = {} }) => `Array<${typeText(items)}>`,
  object: (schema) => objectType(schema),
}

const objectType = ({ properties, required = [], additionalProperties }: Schema): string => {
  const rest = typeof additionalProperties === 'object' ? typeText(additionalProperties) : 'unknown'
  if (!properties) return `Record<string, ${rest}>`
  const fields = Object.entries(properties).map(([name, schema]) =>
    field(name, typeText(schema), required.includes(name), schema.description),
  )
  const open = additionalProperties ? ['[name: string]: unknown\n'] : []
  return `{\n${indented([...fields, ...open].join(''))}}`
}

const field = (name: string, type: string, isRequired: boolean, description?: string) =>
  `${comment([description])}${propertyName(name)}${isRequired ? '' : '?'}: ${type}\n`

/** A query is text: numbers and flags may be given as such, and several values as a list. */
const queryType = (schema: Schema): string => {
  const type = typeText(schema)
  if (type === 'string') return 'string | number | ReadonlyArray<string | number>'
  return /^(?:number|boolean)$/.test(type) ? `${type} | string` : type
}

const inputPart = (name: string, parameters: readonly Parameter[], type: (schema: Schema) => string) => {
  if (parameters.length === 0) return ''
  const fields = parameters.map((each) =>
    field(each.name, type(each.schema), each.required === true, each.description),
  )
  const isRequired = parameters.some(({ required }) => required)
  return `${name}${isRequired ? '' : '?'}: {\n${indented(fields.join(''))}}\n`
}

const bodyPart = ({ requestBody }: Operation, schemas: Document['components']['schemas']) => {
  const schema = requestBody?.content?.['application/json']?.schema
  if (!schema) return ''
  const resolved = schema.$ref ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema
  return `body${resolved?.required?.length ? '' : '?'}: ${typeText(schema)}\n`
}

const answerType = ({ responses }: Operation): string => {
  const [, success] = Object.entries(responses).find(([status]) => /^[23]/.test(status)) ?? []
  const [[mediaType, answer] = ['', undefined]] = Object.entries(success?.content ?? {})
  return answer && mediaType.includes('json') ? typeText(answer.schema) : 'string'
}

const methodText = (operation: Operation, schemas: Document['components']['schemas']): string => {
  const parameters = operation.parameters ?? []
  const within = (place: string) => parameters.filter((each) => each.in === place)
  const input =
    inputPart('params', within('path'), typeText) +
    inputPart('query', within('query'), queryType) +
    bodyPart(operation, schemas)
  const isOptional = !/^\w+: /m.test(input)
  const given = input === '' ? 'Record<string, never>' : `{\n${indented(input)}}`
  const about = comment([operation.summary, operation.description])
  return `${about}${operation.operationId}: Call<${given}, ${answerType(operation)}, ${isOptional}>\n`
}

/** What every client has, whatever the API: written by hand, and compared with the code by the test of the package. */
const head = `/** An answer that is no success. \`code\` is the service's stable word for it. */
export declare class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** Of a validation, the fields at fault. */
  readonly details: unknown
  readonly requestId: string | undefined
  /** How long the service asked to wait before the next try. */
  readonly retryAfterMs: number | undefined
  readonly body: unknown
}

/** An event of a stream: the JSON of its data, and the id that a reader goes on from. */
export type StreamEvent = { readonly id: string; readonly data: string }

/** The server-sent events of an answer, those that came together as one batch; an empty batch says that the connection lives. */
export declare function eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly StreamEvent[]>

export type CallOptions = { signal?: AbortSignal; headers?: Readonly<Record<string, string>> }

type Given<Input, IsOptional> = IsOptional extends true
  ? [input?: Input, options?: CallOptions]
  : [input: Input, options?: CallOptions]

/**
 * Calls an operation and resolves to its answer. Rejects with ApiError unless the status is 2xx, and with the error of
 * \`fetch\` when there was no answer. \`raw\` resolves to the Response, to be read as a stream or as text.
 */
export type Call<Input, Answer, IsOptional = false> = ((...given: Given<Input, IsOptional>) => Promise<Answer>) & {
  raw(...given: Given<Input, IsOptional>): Promise<Response>
}

export type Settings = {
  /** Where the service is, such as \`https://tasks.example.com\`. */
  baseUrl: string
  /** A session token. A local installation without an access key needs none. */
  token?: string
  fetch?: typeof fetch
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>
}

/** The client of a service: a method for each operation, under the operation's name. */
export declare function connect(settings: Settings): Client
`

/** The declarations of the package, from the description of the API. */
export const clientDeclarations = (described: ReturnType<typeof openApiDocument>): string => {
  const { paths, components } = JSON.parse(JSON.stringify(described)) as Document
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment([schema.description])}export type ${name} = ${typeText(schema)}\n`,
  )
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const methods = operations.map((operation) => methodText(operation, components.schemas))
  return [head, ...types, `export interface Client {\n${indented(methods.join('\n'))}}\n`].join('\n')
}
