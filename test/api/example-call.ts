import type { Call } from '../../functions/ui/app/views/docs/snippets.ts'
import { document } from '../../lib/api/document.ts'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'

type Operation = {
  parameters?: readonly { in: string; name: string; required?: boolean; example?: unknown }[]
  requestBody?: { content: Readonly<Record<string, { example: object }>> }
}
const paths = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** The body of an operation that its description shows. */
export const exampleBody = ({ path, method }: Route): object | undefined =>
  paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.example

/** The call of an operation that its description shows. */
export const exampleCall = (name: string, more: Partial<Call> = {}): Call => {
  const route: Route = routes[name as keyof typeof routes]
  const { parameters = [] } = paths[route.path]?.[route.method.toLowerCase()] ?? {}
  const examples = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && parameter.required)
        .map((parameter) => [parameter.name, String(parameter.example)]),
    )
  const body = exampleBody(route)
  return {
    operationId: name,
    method: route.method,
    path: route.path,
    headers: {},
    needsSession: false,
    params: examples('path'),
    query: examples('query'),
    ...(body ? { body: JSON.stringify(body, null, 2) } : {}),
    isStream: route.produces === 'text/event-stream',
    ...more,
  }
}
