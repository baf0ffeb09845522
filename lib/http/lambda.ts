import middy from '@middy/core'
import httpRouterHandler from '@middy/http-router'
import { type HoldsRights, type RightsWatch, watchRights } from '../core/rights-watch.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Tracing } from '../ports/tracing.ts'
import { bodyPieces, takeBody } from './body.ts'
import { compressing } from './compress.ts'
import { readCookies } from './credential.ts'
import type { HttpContext, HttpEvent, HttpHandler, HttpResult } from './event.ts'
import type { Guard } from './guard.ts'
import { inputReader } from './input.ts'
import { observe, type RecordRequest, tracingRequests } from './observe.ts'
import { refuseEmbedding } from './origin-checks.ts'
import { respond } from './respond.ts'
import type { Handler, Handlers, Route, Routes } from './route.ts'
import { encodeWildcardPath, noRoute, type Place, refuseSlash, routeMethods } from './router.ts'
import { requestOrigin, type TrustedProxies } from './trusted-proxies.ts'
import { whileRightsHold } from './while-rights-hold.ts'

export type HttpNeeds = {
  guard: Guard
  holds: HoldsRights
  proxies: TrustedProxies
  record: RecordRequest
  clock: Clock
  log: Log
  tracing?: Tracing
}

/**
 * A Lambda handler for a table of routes: logged, guarded, validated, answered in JSON, compressed. The same function
 * serves API Gateway (payload format 2.0), serverless-offline and the node:http host. `known` are the routes of other
 * functions, for the handler of all other paths: it answers them 405 instead of 404.
 */
export const lambda = <R extends Routes>(
  needs: HttpNeeds,
  routes: R,
  handlers: Handlers<R>,
  known?: readonly Place[],
): HttpHandler => {
  const table = Object.entries(routes).flatMap(([name, route]) => {
    const handler = endpoint(needs, name, route, handlers[name] as Handler<Route>)
    return routeMethods(route).map((method) => ({ method, path: route.path, handler }))
  })
  const router = httpRouterHandler({
    routes: table as never,
    notFoundResponse: noRoute(known ?? Object.values(routes)) as never,
  })
  const encode = encodeWildcardPath(Object.values(routes))
  // middy's types describe AWS's event and result; HttpEvent and HttpResult are the parts used here.
  const handle = middy()
    .use(observe({ ...needs, routes }))
    .before(({ event }) => refuseSlash(event as never))
    .before(({ event }) => encode(event as never))
    .handler(router as never)
  const handler = compressing(handle as unknown as HttpHandler)
  return needs.tracing === undefined ? handler : tracingRequests(handler, routes, needs.tracing)
}

const endpoint = (needs: HttpNeeds, operation: string, route: Route, handle: Handler<Route>) => {
  const { guard, proxies } = needs
  const readInput = inputReader(route)
  const routeKey = `${route.method} ${route.path}`
  return async (event: HttpEvent, context: HttpContext): Promise<HttpResult> => {
    event.routeKey = routeKey
    event.operation = operation
    if (route.writes) refuseEmbedding(event)
    const principal = await guard(route.access, event)
    event.userId = principal.userId
    // Most requests end at once and need no watch.
    let watch: RightsWatch | undefined
    const watched = () => {
      watch ??= watchRights({ ...needs, holds: () => needs.holds(principal) })
      return watch
    }
    const call = {
      principal,
      requestId: event.requestContext.requestId,
      header: (name: string) => event.headers[name],
      cookies: (name: string) => readCookies(event, name),
      pieces: () => bodyPieces(event, context, route.bodyLimit),
      origin: () => requestOrigin(event, proxies),
      gone: () =>
        AbortSignal.any([watched().signal, context.gone?.()].filter((signal) => signal !== undefined)),
    }
    if (handle.admit) await handle.admit(call)
    // Nothing of the body was read before: a caller without access costs no memory, and one over a limit no work.
    if (context.body && !route.rawBody) await takeBody(event, context, route.bodyLimit)
    const { input, warnings } = readInput(event)
    let isStreamed = false
    try {
      const result = respond(route, await handle(input, call), warnings)
      isStreamed = isInPieces(result.body) && event.requestContext.http.method !== 'HEAD'
      watch?.signal.throwIfAborted()
      return isStreamed ? watchedAnswer(result, watched(), needs, context) : result
    } finally {
      if (!isStreamed) watch?.end()
    }
  }
}

const isInPieces = (body: HttpResult['body']): body is AsyncIterable<string> =>
  typeof body !== 'string' && !(body instanceof Uint8Array)

/** An answer in pieces, for as long as its caller has its rights. */
const watchedAnswer = (
  result: HttpResult,
  watch: RightsWatch,
  { clock }: Pick<HttpNeeds, 'clock'>,
  context: HttpContext,
): HttpResult => {
  // A caller that left before the first piece is sent none, and nothing else would end the watch.
  const gone = context.gone?.()
  if (gone?.aborted) watch.end()
  else gone?.addEventListener('abort', watch.end, { once: true })
  const isEvents = result.headers['content-type']?.startsWith('text/event-stream') === true
  const pieces = result.body as AsyncIterable<string>
  return { ...result, body: whileRightsHold(pieces, watch, clock, isEvents) }
}
