import * as z from 'zod'
import { type CreateDocumentOptions, createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import { type Schema, type Schemas, schemaExample } from './examples.ts'
import { JSON_TYPE, toOperation } from './operation.ts'
import type { Tables } from './routes.ts'

type Override = NonNullable<CreateDocumentOptions['override']>

/** Converts zod's JSON Schema to the form that readers and generators expect. */
const plain: Override = (context) => {
  const { jsonSchema } = context
  // The service drops unknown keys and may answer more than it documents, so no object is closed.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  // The format suffices; the pattern would be 300 characters of leap years.
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'date') delete jsonSchema.pattern
  // Every key of a JSON object is a string.
  if (jsonSchema.type === 'object') delete jsonSchema.propertyNames
  numberInText(context)
}

/** A number in a query string is text that the service parses: it is documented as a number, with its default. */
const numberInText: Override = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod
  if (io === 'input' && def.type === 'default' && typeof def.defaultValue === 'number')
    jsonSchema.default = def.defaultValue
  if (io !== 'input' || def.type !== 'pipe' || def.out._zod.def.type !== 'number') return
  const { minimum, maximum } = z.toJSONSchema(def.out)
  delete jsonSchema.pattern
  Object.assign(jsonSchema, { type: 'integer', minimum, maximum })
}

type Described = { tables: Tables; version: string }

/** The OpenAPI 3.1 document of all routes, generated from the tables that serve them. */
export const openApiDocument = ({ tables, version }: Described) =>
  withExamples(
    createDocument(
      {
        openapi: '3.1.0',
        info: {
          title: 'Agent task service',
          version,
          description: 'Create tasks, run them with AI agents, and review the results.',
        },
        servers: [{ url: '/' }],
        tags: Object.keys(tables).map((name) => ({ name })),
        paths: openapiPaths(tables),
        components: {
          securitySchemes: {
            cookie: { type: 'apiKey', in: 'cookie', name: 'svc_session' },
            bearer: {
              type: 'http',
              scheme: 'bearer',
              description:
                'A session token, or an API token where the operation accepts one. A local installation without an access key needs no session.',
            },
          },
        },
      },
      { override: plain },
    ),
  )

const openapiPaths = (tables: Tables): ZodOpenApiPathsObject => {
  const paths: Record<string, Record<string, ReturnType<typeof toOperation>>> = {}
  for (const [tag, routes] of Object.entries(tables))
    for (const [name, route] of Object.entries(routes)) {
      paths[route.path] ??= {}
      Object.assign(paths[route.path] ?? {}, { [route.method.toLowerCase()]: toOperation(name, route, tag) })
    }
  return paths
}

type Part = { schema: Schema; example?: unknown }
type Body = { content: Readonly<Record<string, Part>> }
type Operation = {
  parameters?: readonly (Part & { required?: boolean })[]
  requestBody?: Body
  responses: Readonly<Record<string, Body>>
}
type Document = {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Schemas }
}

/** Adds to a document the examples of required parameters, bodies and answers; answers that are not JSON get none. */
const withExamples = <D extends object>(document: D): D => {
  const { paths, components } = document as unknown as Document
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  for (const { parameters = [], requestBody, responses } of operations) {
    const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
    const bodies = [requestBody, ...answers.map(([, answer]) => answer)].flatMap(
      (each) => each?.content[JSON_TYPE] ?? [],
    )
    for (const each of [...parameters.filter(({ required }) => required), ...bodies])
      each.example = schemaExample(each.schema, components.schemas)
  }
  return document
}
