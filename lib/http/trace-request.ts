import { spanIn } from '../core/trace.ts'
import type { Tracing } from '../ports/tracing.ts'
import type { HttpHandler } from './event.ts'
import type { Routes } from './route.ts'

/**
 * A handler whose requests are the running trace for what it does, each a span where spans are exported. The span takes the
 * place of the caller's in `traceparent`, so that what follows from the request has it as parent. The span has the path of
 * the route, not that of the request: it may hold what grants access. Probes have none.
 */
export const tracingRequests = (
  handle: HttpHandler,
  routes: Routes,
  { within, begin }: Tracing,
): HttpHandler => {
  const isProbe = (operation: string | undefined) =>
    operation !== undefined && routes[operation]?.logLevel === 'debug'

  return async (event, context) => {
    const { requestId, http } = event.requestContext
    const given = event.headers.traceparent
    const span = begin({
      ...{ name: http.method, kind: 'server', parent: given !== undefined && spanIn(given) ? given : null },
      attributes: {
        'http.request.method': http.method,
        'http.request.id': requestId,
        'faas.invocation_id': context.awsRequestId,
      },
    })
    const { traceparent } = span
    if (traceparent !== undefined) event.headers.traceparent = traceparent
    const result = await within({ requestId, ...(traceparent && { traceparent }) }, () =>
      handle(event, context),
    )
    if (isProbe(event.operation)) return result
    const route = event.operation === undefined ? undefined : routes[event.operation]
    const { statusCode } = result
    span.end({
      name: route === undefined ? http.method : `${http.method} ${route.path}`,
      attributes: { 'http.route': route?.path, 'http.response.status_code': statusCode },
      ...(statusCode >= 500 && { error: String(statusCode) }),
    })
    return result
  }
}
