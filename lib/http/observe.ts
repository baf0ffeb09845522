import type { MiddlewareObj } from '@middy/core'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { HttpEvent, HttpResult } from './event.ts'
import { problemOf, problemResult } from './problem.ts'
import { withCommonHeaders } from './respond.ts'

/** Takes note of one finished request. `routeKey` is `METHOD /path/{param}`, or empty where no route matched. */
export type RecordRequest = (routeKey: string, statusCode: number, durationMs: number) => void

type Request = { event: HttpEvent; response?: HttpResult; error?: unknown; internal: { startedAt?: number } }

/** Middleware around every handler: measures, gives errors their shape, logs what is our fault, adds common headers. */
export const observe = ({ record, clock, log }: { record: RecordRequest; clock: Clock; log: Log }) => {
  const finish = (request: Request, result: HttpResult): HttpResult => {
    const { routeKey, requestContext } = request.event
    record(routeKey, result.statusCode, clock.monotonic() - (request.internal.startedAt ?? 0))
    return withCommonHeaders(result, requestContext.requestId)
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
