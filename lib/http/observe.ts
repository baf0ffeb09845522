import type { MiddlewareObj } from '@middy/core'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { HttpContext, HttpEvent, HttpResult } from './event.ts'
import { problemOf, problemResult } from './problem.ts'
import { withCommonHeaders } from './respond.ts'
import type { Routes } from './route.ts'

/** Takes note of one finished request. `routeKey` is `METHOD /path/{param}`, or empty where no route matched. */
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
 * Middleware around every handler: measures, gives errors their shape, logs each request and what is our fault, adds common
 * headers. The log line has the path without its query, which may hold a code or a token. A stream is logged as it begins.
 */
export const observe = ({ record, clock, log, routes }: Needs) => {
  const finish = ({ event, context, internal }: Request, result: HttpResult): HttpResult => {
    const { routeKey, operation, userId, requestContext } = event
    const { requestId, http } = requestContext
    const ms = clock.monotonic() - (internal.startedAt ?? 0)
    record(routeKey, result.statusCode, ms)
    const route = operation === undefined ? undefined : routes[operation]
    const line = {
      requestId,
      ...(context.awsRequestId === undefined ? {} : { awsRequestId: context.awsRequestId }),
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
    const problem = problemOf(request.error)
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
  // middy types the event as AWS's own; the parts of it in use here are in HttpEvent.
  return middleware as unknown as MiddlewareObj
}
