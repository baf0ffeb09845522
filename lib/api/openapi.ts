import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import { annotate } from './descriptions/annotate.ts'
import type { Tables } from './merge.ts'
import { operationOf } from './operation.ts'
import { plain } from './plain-schema.ts'

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
