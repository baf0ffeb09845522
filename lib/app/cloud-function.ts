import { createLog, withinInvocation } from '../adapters/node/log.ts'
import type { People } from '../composition/people.ts'
import { type Config, environmentSecrets, readConfig } from '../config/config.ts'
import { definedFields } from '../core/defined-fields.ts'
import { createMasker } from '../core/masker.ts'
import type { RequestMetrics } from '../health/request-metrics.ts'
import { type BufferedResponse, buffered } from '../http/buffered-response.ts'
import { type HttpContext, type HttpEvent, type HttpHandler, withRequestId } from '../http/event.ts'
import { openGuard } from '../http/guard.ts'
import { lambda } from '../http/lambda.ts'
import { problemResult, toProblem } from '../http/problem.ts'
import { withCommonHeaders } from '../http/respond.ts'
import type { Handlers, Routes } from '../http/route.ts'
import { toTrustedProxies } from '../http/trusted-proxies.ts'
import type { CloudPorts } from './cloud-ports.ts'

/** What a function stands on, and the handlers of its routes. */
type Opened<R extends Routes> = {
  ports: CloudPorts
  people: People
  requests: RequestMetrics
  handlers: Handlers<R>
}
export type Open<R extends Routes> = (config: Config) => Opened<R> | Promise<Opened<R>>

type FunctionHandler = (event: HttpEvent, context: object) => Promise<BufferedResponse>

/** Opens something with the settings at its first call, and returns it to later ones; a failed call is tried again. */
export type Kept = <T>(open: (config: Config) => Promise<T>) => () => Promise<T>

export const openedOnce: Kept = (open) => {
  type Opened = ReturnType<typeof open>
  let opened: Opened | undefined
  const opening = async () => open(readConfig())
  return () => {
    opened ??= opening().catch((thrown) => {
      opened = undefined
      throw thrown
    }) as Opened
    return opened
  }
}

/** The handler of routes as a function behind the HTTP API. */
export const serveRoutes = <R extends Routes>(routes: R, open: Open<R>, kept?: Kept): FunctionHandler => {
  const handle = streamRoutes(routes, open, kept)
  return async (event, context) => buffered(await handle(event, context))
}

/** The handler of routes. The first request opens its needs, and `kept` keeps them for later ones. */
export const streamRoutes = <R extends Routes>(
  routes: R,
  open: Open<R>,
  kept: Kept = openedOnce,
): HttpHandler => {
  const opened = kept(async (config) => {
    const { ports, people, requests, handlers } = await open(config)
    const proxies = toTrustedProxies(config)
    const guard = openGuard(people, proxies)
    const http = { ...ports, guard, holds: people.holdsRights, proxies, record: requests.record }
    const handle = lambda(http, routes, handlers)
    return async (event: HttpEvent, context: object) => {
      const answer = await handle(withRequestId(event, ports.ids.next('req')), context)
      // Not awaited: spans that a frozen function has not sent are sent with its next request.
      void ports.tracing.flush(0)
      return answer
    }
  })
  return async (event, context) => {
    try {
      const handler = await opened()
      const { awsRequestId } = context as HttpContext
      return await withinInvocation(definedFields({ awsRequestId }), () => handler(event, context))
    } catch (thrown) {
      // Errors of handlers were answered before: here the function failed to open.
      const { requestId } = event.requestContext
      createLog({ level: 'error', masker: createMasker(environmentSecrets()) }).error(
        { err: thrown, requestId },
        'the function cannot be opened',
      )
      return withCommonHeaders(problemResult(toProblem(thrown), requestId), requestId)
    }
  }
}
