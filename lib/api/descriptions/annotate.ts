import { exampleOf, type Schema, type Schemas, textOf } from './examples.ts'
import { operations } from './operations.ts'

type Parameter = { in: string; name: string; description?: string; example?: unknown; schema: Schema }
type Content = Readonly<Record<string, { schema: Schema; example?: unknown }>>
type Operation = {
  operationId: string
  description?: string
  /** The parameters of an example call; its body is the example of the body. */
  'x-example'?: { params?: Values; query?: Values }
  parameters?: readonly Parameter[]
  requestBody?: { content: Content }
  responses: Readonly<Record<string, { content?: Content }>>
}
type Described = {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Schemas }
}
type Input = { params?: Values; query?: Values; body?: unknown }
type Values = Readonly<Record<string, unknown>>

/** Adds a description to each property, and an example where its type has none. */
const describe = (schema: Schema, owner: string): void => {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const [description, example] = textOf({ owner, name }) ?? []
    if (property.$ref === undefined && description !== undefined) property.description ??= description
    if (property.type === 'string' && !property.enum && !property.format && typeof example === 'string')
      property.examples ??= [example]
    describe(property, owner)
  }
  const inner = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])]
  for (const each of inner) if (typeof each === 'object') describe(each, owner)
}

/** Answers that are not JSON: streams, metrics for Prometheus, and redirects without a body. */
const TEXTS: Readonly<Record<string, string>> = {
  'text/event-stream':
    'id: evt_01KF0Q8Y3V5W7X9Z\ndata: {"type":"ready","data":{},"timestamp":"2026-01-15T09:30:00.000Z"}\n\n',
  metrics: 'agent_tasks{status="completed"} 3\n',
}

const answerExample = (mediaType: string, schema: Schema, schemas: Schemas, owner: string): unknown =>
  mediaType.includes('json')
    ? exampleOf(schema, schemas, { owner })
    : (TEXTS[mediaType] ?? TEXTS[owner] ?? '')

const describeParameters = ({ operationId: owner, parameters = [] }: Operation, input: Input) => {
  for (const parameter of parameters) {
    const [description, example] = textOf({ owner, name: parameter.name }) ?? []
    const asked = (parameter.in === 'path' ? input.params : input.query)?.[parameter.name]
    if (description !== undefined) parameter.description ??= description
    const value = asked ?? (parameter.schema.enum ? parameter.schema.enum[0] : example)
    if (value !== undefined) parameter.example ??= Array.isArray(value) ? value.join(',') : value
  }
}

const describeOperation = (operation: Operation, schemas: Schemas) => {
  const { operationId: owner, requestBody, responses } = operation
  const text: { about: string; example?: unknown } | undefined = operations[owner as keyof typeof operations]
  if (text === undefined) throw new Error(`${owner} has no text in lib/api/descriptions/operations.ts`)
  const { about } = text
  const example = (text.example ?? {}) as Input
  operation.description = about
  const { body, ...parameters } = example
  if (Object.keys(parameters).length > 0) operation['x-example'] = parameters
  describeParameters(operation, example)
  for (const content of Object.values(requestBody?.content ?? {})) {
    describe(content.schema, owner)
    content.example = body ?? exampleOf(content.schema, schemas, { owner })
  }
  for (const [status, { content = {} }] of Object.entries(responses))
    for (const [mediaType, answer] of Object.entries(content)) {
      describe(answer.schema, owner)
      if (/^[23]/.test(status)) answer.example = answerExample(mediaType, answer.schema, schemas, owner)
    }
}

/** Adds to the description of the API the texts and examples of its operations and properties. */
export const annotate = <D extends object>(document: D): D => {
  const { paths, components } = document as unknown as Described
  for (const [owner, schema] of Object.entries(components.schemas)) describe(schema, owner)
  for (const methods of Object.values(paths))
    for (const operation of Object.values(methods)) describeOperation(operation, components.schemas)
  return document
}
