import * as z from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import type { Route } from '../http/route.ts'

const JSON_TYPE = 'application/json'

/** Every error's body. */
const ProblemSchema = z
  .object({
    error: z.string(),
    code: z.string(),
    details: z.unknown().optional(),
    requestId: z.string(),
  })
  .meta({ id: 'Problem' })

const errors = {
  400: 'The request does not fit the schema, or the state of what it acts on',
  401: 'Not signed in, or the session is invalid',
  403: 'Signed in without the permission, or refused because of where the request comes from',
  404: 'There is nothing under that id',
  413: 'The body is too large',
  500: 'Something went wrong in the service',
  default: 'Any other error',
} as const
type ErrorStatus = keyof typeof errors

/** One route as an OpenAPI operation. */
export const operationOf = (name: string, route: Route, tag: string): ZodOpenApiOperationObject => ({
  operationId: name,
  summary: route.summary,
  tags: [tag],
  security: route.access === 'public' ? [] : [{ cookie: [] }, { bearer: [] }],
  ...(route.params || route.query || route.headers
    ? {
        requestParams: {
          ...(route.params ? { path: route.params } : {}),
          ...(route.query ? { query: route.query } : {}),
          ...(route.headers ? { header: route.headers } : {}),
        },
      }
    : {}),
  ...(route.body
    ? { requestBody: { required: true, content: { [JSON_TYPE]: { schema: route.body } } } }
    : {}),
  responses: { ...successesOf(route), ...errorsOf(route) },
})

const successesOf = (route: Route): ZodOpenApiResponsesObject => {
  const body = { schema: route.response }
  const content = {
    [mediaTypeOf(route.produces ?? JSON_TYPE)]: body,
    ...(route.alsoProduces ? { [mediaTypeOf(route.alsoProduces)]: { schema: z.string() } } : {}),
  }
  const answer = { description: route.summary, content }
  return {
    [`${route.status ?? 200}`]: answer,
    ...(route.alsoStatus ? { [`${route.alsoStatus}`]: answer } : {}),
  }
}

const mediaTypeOf = (contentType: string) => contentType.split(';', 1)[0] ?? contentType

const errorsOf = (route: Route): ZodOpenApiResponsesObject =>
  Object.fromEntries(
    errorStatusesOf(route).map((status) => [
      status,
      { description: errors[status], content: { [JSON_TYPE]: { schema: ProblemSchema } } },
    ]),
  )

/** The statuses that a route's own declaration makes possible; what a service adds falls under `default`. */
const errorStatusesOf = ({ access, params, query, body }: Route): ErrorStatus[] => [
  ...(params || query || body ? [400 as const] : []),
  ...(access === 'public' ? [] : [401 as const]),
  403,
  ...(params ? [404 as const] : []),
  ...(body ? [413 as const] : []),
  500,
  'default',
]
