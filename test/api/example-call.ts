import type { Call } from '../../functions/ui/app/views/docs/snippets.ts'
import { operations } from '../../lib/api/descriptions/operations.ts'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'

const texts = (values: object = {}) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

/** The call of an operation that its description shows. */
export const exampleCall = (name: string, more: Partial<Call> = {}): Call => {
  const route: Route = routes[name as keyof typeof routes]
  const { example = {} } = operations[name as keyof typeof routes] as {
    example?: Partial<Record<string, object>>
  }
  return {
    operationId: name,
    method: route.method,
    path: route.path,
    headers: {},
    needsSession: false,
    params: texts(example.params),
    query: texts(example.query),
    ...(example.body ? { body: JSON.stringify(example.body, null, 2) } : {}),
    isStream: route.produces === 'text/event-stream',
    ...more,
  }
}
