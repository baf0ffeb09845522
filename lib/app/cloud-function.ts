import { createLog } from '../adapters/node/log.ts'
import type { AuthContext, AuthPorts } from '../composition/auth.ts'
import { type Config, environmentSecrets, readConfig } from '../config.ts'
import type { Problem } from '../core/errors.ts'
import { createMasker } from '../core/masker.ts'
import type { RequestMetrics } from '../health/request-metrics.ts'
import { type BufferedResponse, buffered } from '../http/buffered-response.ts'
import { type HttpEvent, type HttpHandler, withRequestId } from '../http/event.ts'
import { openGuard } from '../http/guard.ts'
import { lambda } from '../http/lambda.ts'
import { problemOf, problemResult, statusOf } from '../http/problem.ts'
import { withCommonHeaders } from '../http/respond.ts'
import type { Call, Handlers, Routes } from '../http/route.ts'
import { trustedProxiesOf } from '../http/trusted-proxies.ts'

/** What a function is made of once it is open: who may come in, and who answers them. */
type Opened<R extends Routes> = {
  auth: AuthContext
  ports: AuthPorts
  requests: RequestMetrics
  handlers: Handlers<R>
}
export type Open<R extends Routes> = (config: Config) => Opened<R> | Promise<Opened<R>>

type FunctionHandler = (event: HttpEvent, context: object) => Promise<BufferedResponse>

/** The handler of one endpoint group as a function behind the HTTP API. */
export const serveGroup = <R extends Routes>(routes: R, open: Open<R>): FunctionHandler => {
  const handle = streamGroup(routes, open)
  return async (event, context) => buffered(await handle(event, context))
}

/**
 * The handler of one endpoint group, its answers in pieces where they are long. What it stands on is opened with the
 * first request and kept for the next ones; if that fails, the next request tries again.
 */
export const streamGroup = <R extends Routes>(routes: R, open: Open<R>): HttpHandler => {
  let opened: Promise<HttpHandler> | undefined
  const openHandler = async () => {
    const config = readConfig()
    const { auth, ports, requests, handlers } = await open(config)
    const proxies = trustedProxiesOf(config)
    const http = { ...ports, guard: openGuard(auth, proxies), proxies, record: requests.record }
    const handle = lambda(http, routes, handlers)
    return async (event: HttpEvent, context: object) => {
      const answer = await handle(withRequestId(event, ports.ids.next('req')), context)
      // Nothing waits for it: what a function that is frozen has not sent by then goes out with its next request.
      void ports.tracing.flush(0)
      return answer
    }
  }
  return async (event, context) => {
    opened ??= openHandler()
    try {
      return await (await opened)(event, context)
    } catch (thrown) {
      // Errors of handlers were answered by then: this is the function that could not be opened.
      opened = undefined
      const { requestId } = event.requestContext
      createLog({ level: 'error', masker: createMasker(environmentSecrets()) }).error(
        { err: thrown, requestId },
        'the function cannot be opened',
      )
      return withCommonHeaders(problemResult(ownFault(thrown), requestId), requestId)
    }
  }
}

/** A function that cannot be opened is a fault of the service; its caller does not see which setting is wrong. */
const ownFault = (thrown: unknown): Problem => {
  const problem = problemOf(thrown)
  return statusOf[problem.kind] < 500 ? problemOf(undefined) : problem
}

type AnyHandler = (input: unknown, call: Call) => unknown

/**
 * Handlers that are made when one of them is first asked; if that fails, the next one that is asked tries again. They
 * admit every caller that the guard lets in: what a handler has to say before its input is read would come too late.
 */
export const lazyHandlers = <R extends Routes>(routes: R, make: () => Promise<Handlers<R>>): Handlers<R> => {
  let making: Promise<Handlers<R>> | undefined
  const made = () => {
    making ??= make().catch((thrown) => {
      making = undefined
      throw thrown
    })
    return making
  }
  const names = Object.keys(routes)
  const handlers = names.map((name): [string, AnyHandler] => [
    name,
    async (input, call) => ((await made())[name] as unknown as AnyHandler)(input, call),
  ])
  // Each stands for the one of its name, so they fit the same routes.
  return Object.fromEntries(handlers) as unknown as Handlers<R>
}
