import * as z from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { definedFields } from '../core/defined-fields.ts'
import type { Access, Route } from '../http/route.ts'
import { withWarnings } from '../http/warnings.ts'

export const JSON_TYPE = 'application/json'

const ProblemSchema = z
  .object({
    error: z.string().meta({
      description: 'Human-readable message; the wording may change',
      examples: ['priority: must be 1 (critical), 2, 3 or 4 (low)'],
    }),
    code: z.string().meta({ description: 'Machine-readable error code', examples: ['validation_failed'] }),
    details: z
      .unknown()
      .optional()
      .meta({
        description: 'More about the error; for validation errors, one entry per invalid field',
        examples: [[{ path: 'priority', message: 'must be 1 (critical), 2, 3 or 4 (low)' }]],
      }),
    requestId: z.string().describe('Id of the request, as in the service log'),
  })
  .meta({ id: 'Problem' })

const errors = {
  400: 'The request is invalid, or the current state does not allow the operation',
  401: 'Authentication is required, or the credentials, session or Bearer token are invalid',
  403: 'You do not have permission, or the origin of the request is not allowed',
  404: 'The resource does not exist',
  413: 'The request body is too large',
  429: 'Too many requests. Wait for the seconds in `Retry-After`',
  500: 'Internal error',
  default: 'Unexpected error',
} as const
type ErrorStatus = keyof typeof errors

const answers = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted; the work continues',
  204: 'No content',
  302: 'Redirect',
  401: 'Not signed in',
  503: 'Not available',
} as const satisfies Record<NonNullable<Route['status'] | Route['alsoStatus']>, string>

const callers: Partial<Record<Access, string>> = {
  admin: 'Admins only.',
  gateway: 'Requires an API token with the scope `gateway`.',
  runner: 'Requires an API token with the scope `runner`.',
  webhooks: 'Also accepts API tokens with the scope `webhooks`.',
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
  const statuses = [route.status ?? 200, ...(route.alsoStatus ? [route.alsoStatus] : [])]
  return Object.fromEntries(
    statuses.map((status) => [
      `${status}`,
      { description: answers[status], content: status === 204 ? {} : content },
    ]),
  )
}

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
