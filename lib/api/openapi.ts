import * as z from 'zod'
import { type CreateDocumentOptions, createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import { annotate } from './descriptions/annotate.ts'
import { operationOf } from './operation.ts'
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

/** A number in a query string is text that the service parses: it is documented as a number. */
const numberInText: Override = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod
  if (io !== 'input' || def.type !== 'pipe' || def.out._zod.def.type !== 'number') return
  const { minimum, maximum } = z.toJSONSchema(def.out)
  delete jsonSchema.pattern
  Object.assign(jsonSchema, { type: 'integer', minimum, maximum })
}

type Described = { tables: Tables; version: string }

/** The OpenAPI 3.1 document of all routes, generated from the tables that serve them. */
export const openApiDocument = ({ tables, version }: Described) =>
  annotate(
    createDocument(
      {
        openapi: '3.1.0',
        info: {
          title: 'Agent task service',
          version,
          description: 'Takes tasks, queues them, and has AI agents carry them out.',
        },
        servers: [{ url: '/' }],
        tags: Object.keys(tables).map((name) => ({ name })),
        paths: pathsOf(tables),
        components: {
          securitySchemes: {
            cookie: { type: 'apiKey', in: 'cookie', name: 'svc_session' },
            bearer: {
              type: 'http',
              scheme: 'bearer',
              description: 'A session token. A local installation without an access key takes none.',
            },
          },
        },
      },
      { override: plain },
    ),
  )

const pathsOf = (tables: Tables): ZodOpenApiPathsObject => {
  const paths: Record<string, Record<string, ReturnType<typeof operationOf>>> = {}
  for (const [tag, routes] of Object.entries(tables)) {
    for (const [name, route] of Object.entries(routes)) {
      const path = paths[route.path] ?? {}
      path[route.method.toLowerCase()] = operationOf(name, route, tag)
      paths[route.path] = path
    }
  }
  return paths
}
