import type { MiddlewareObj } from '@middy/core'
import { spanIn } from '../core/trace.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Tracing } from '../ports/tracing.ts'
import type { HttpContext, HttpEvent, HttpHandler, HttpResult } from './event.ts'
import { problemResult, toProblem } from './problem.ts'
import { withCommonHeaders } from './respond.ts'
import type { Routes } from './route.ts'

/** Records a finished request. `routeKey` is `METHOD /path/{param}`, or empty without a matched route. */
export type RecordRequest = (routeKey: string, statusCode: number, durationMs: number) => void

type Request = {
  event: HttpEvent
  context: HttpContext
  response?: HttpResult
  error?: unknown
  internal: { startedAt?: number }
}

type Needs = {
  record: RecordRequest
  clock: Clock
  log: Log
  routes: Routes
}

/**
 * Middleware of every handler: measures, converts errors to answers, logs each request and each internal error, adds
 * common headers. The log line has the path without its query, which may hold a code or a token. A stream is logged at
 * its beginning.
 */
export const observe = ({ record, clock, log, routes }: Needs) => {
  const finish = ({ event, internal }: Request, result: HttpResult): HttpResult => {
    const { routeKey, operation, userId, requestContext } = event
    const { requestId, http } = requestContext
    const ms = clock.monotonic() - (internal.startedAt ?? 0)
    record(routeKey, result.statusCode, ms)
    const route = operation === undefined ? undefined : routes[operation]
    const line = {
      requestId,
      method: http.method,
      path: route?.secretPath ? route.path : http.path,
      ...(operation === undefined ? {} : { operation }),
      status: result.statusCode,
      ms: Math.round(ms * 10) / 10,
      ...(userId === undefined ? {} : { user: userId }),
    }
    log[route?.logLevel ?? 'info'](line, 'request')
    return withCommonHeaders(result, requestId)
  }
  const failed = (request: Request): HttpResult => {
    const { requestId, http } = request.event.requestContext
    const problem = toProblem(request.error)
    if (problem.kind === 'internal') {
      log.error(
        { err: problem.cause ?? problem, requestId, method: http.method, path: http.path },
        'request failed',
      )
    }
    return problemResult(problem, requestId)
  }
  const middleware = {
    before: (request: Request) => {
      request.internal.startedAt = clock.monotonic()
    },
    after: (request: Request) => {
      if (request.response) request.response = finish(request, request.response)
    },
    onError: (request: Request) => {
      request.response = finish(request, failed(request))
    },
  }
  // middy types the event as AWS's; HttpEvent has the parts used here.
  return middleware as unknown as MiddlewareObj
}

/**
 * Runs a handler within the trace of each request, with a span where spans are exported. The span replaces the caller's
 * in `traceparent`, so that all later work has it as parent. It has the path of the route, since the path of the request
 * may grant access. Probes have no span.
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
    const parent = event.headers.traceparent
    const span = begin({
      name: http.method,
      kind: 'server',
      parent: parent !== undefined && spanIn(parent) ? parent : null,
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
