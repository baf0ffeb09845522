import * as z from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { definedFields } from '../core/defined-fields.ts'
import type { Access, Route } from '../http/route.ts'
import { withWarnings } from '../http/warnings.ts'

export const JSON_TYPE = 'application/json'

const ProblemSchema = z
  .object({
    error: z.string().meta({
      description: 'For people; the text may change',
      examples: ['priority: must be 1 (critical), 2, 3 or 4 (low)'],
    }),
    code: z.string().meta({ description: 'For programs', examples: ['validation_failed'] }),
    details: z
      .unknown()
      .optional()
      .meta({
        description: 'Each field at fault',
        examples: [[{ path: 'priority', message: 'must be 1 (critical), 2, 3 or 4 (low)' }]],
      }),
    requestId: z.string().describe('The id of the request in the log'),
  })
  .meta({ id: 'Problem' })

const errors = {
  400: 'The request does not fit the schema, or the state of what it acts on',
  401: 'Not signed in, the credentials are wrong, or the session or Bearer token is invalid',
  403: 'Signed in without the permission, or refused because of where the request comes from',
  404: 'There is nothing under that id',
  413: 'The body is too large',
  429: 'Too many requests; Retry-After says when to come again',
  500: 'Something went wrong in the service',
  default: 'Any other error',
} as const
type ErrorStatus = keyof typeof errors

const callers: Partial<Record<Access, string>> = {
  admin: 'For admins.',
  gateway: 'For API tokens of the scope `gateway`.',
  runner: 'For API tokens of the scope `runner`.',
  webhooks: 'For API tokens of the scope `webhooks` as well.',
}

const routeDescription = ({ access, about }: Route) =>
  [callers[access], about].filter((text) => text !== undefined).join(' ')

export const toOperation = (name: string, route: Route, tag: string): ZodOpenApiOperationObject => ({
  operationId: name,
  summary: route.summary,
  ...definedFields({ description: routeDescription(route) || undefined }),
  tags: [tag],
  // For readers of the description: HEAD is not allowed for such a GET.
  ...(route.writes ? { 'x-writes': true } : {}),
  security: security(route),
  requestParams: definedFields({ path: route.params, query: route.query, header: route.headers }),
  ...requestBody(route),
  responses: { ...successResponses(route), ...errorResponses(route) },
})

const bodySchema = ({ body, rawBody }: Pick<Route, 'body' | 'rawBody'>) => body ?? rawBody

const requestBody = (route: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> => {
  const schema = bodySchema(route)
  return schema ? { requestBody: { required: true, content: { [JSON_TYPE]: { schema } } } } : {}
}

/** `{}` means that no credential is needed. */
const security = ({ access }: Route): Record<string, string[]>[] => {
  if (access === 'public') return []
  return [...(access === 'any' || access === 'optional' ? [{}] : []), { cookie: [] }, { bearer: [] }]
}

const successResponses = (route: Route): ZodOpenApiResponsesObject => {
  const body = { schema: withWarnings(route.response) as z.ZodType }
  const content = {
    [toMediaType(route.produces ?? JSON_TYPE)]: body,
    ...(route.alsoProduces ? { [toMediaType(route.alsoProduces)]: { schema: z.string() } } : {}),
  }
  const answer = { description: route.summary, content }
  return {
    [`${route.status ?? 200}`]: answer,
    ...(route.alsoStatus ? { [`${route.alsoStatus}`]: route.alsoStatus === 204 ? NO_CONTENT : answer } : {}),
  }
}

const NO_CONTENT = { description: 'There is nothing to answer', content: {} }

const toMediaType = (contentType: string) => contentType.split(';', 1)[0] ?? contentType

const errorResponses = (route: Route): ZodOpenApiResponsesObject =>
  Object.fromEntries(
    errorStatuses(route).map((status) => [
      status,
      { description: errors[status], content: { [JSON_TYPE]: { schema: ProblemSchema } } },
    ]),
  )

/** The error statuses that follow from a route's declaration; `default` covers those of the service. */
const errorStatuses = ({ access, alsoStatus, params, query, limited, ...route }: Route): ErrorStatus[] => [
  ...(params || query || bodySchema(route) ? [400 as const] : []),
  // Public routes refuse unknown Bearer tokens and wrong passwords.
  ...(access === 'any' || alsoStatus === 401 ? [] : [401 as const]),
  403,
  ...(params ? [404 as const] : []),
  ...(bodySchema(route) ? [413 as const] : []),
  ...(limited ? [429 as const] : []),
  500,
  'default',
]
