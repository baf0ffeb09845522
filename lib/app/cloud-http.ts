import { readConfig } from '../config.ts'
import { Problem } from '../core/errors.ts'
import { createDomains, type Domains } from '../domains.ts'
import { createRequestMetrics } from '../health/request-metrics.ts'
import type { Health } from '../health/service.ts'
import { withCommonHeaders } from '../http/common-headers.ts'
import type { HttpEvent, HttpHandler, HttpResult } from '../http/event.ts'
import { type Guard, localGuard } from '../http/guard.ts'
import { lambda } from '../http/lambda.ts'
import type { Place } from '../http/no-route.ts'
import { problemOf, problemResult } from '../http/problem.ts'
import type { Handlers, Routes } from '../http/route.ts'
import { openCloudPorts } from './cloud.ts'
import { describeAgents } from './cloud-agents.ts'
import { openHealth } from './health.ts'

type Served = Domains & { health: Health }
type Answer = HttpResult & { body: string }
type FunctionHandler = (event: HttpEvent, context: object) => Promise<Answer>

/** The longest answer a function may give is 6 MB, with everything around it. */
const LONGEST_BODY = 5_500_000

/** The handler of one endpoint group as a function behind the HTTP API. */
export const serveGroup = <R extends Routes>(
  routes: R,
  handlersOf: (domains: Served) => Handlers<R>,
  known?: readonly Place[],
): FunctionHandler => {
  const handle = openGroup(routes, handlersOf, known)
  return async (event, context) => whole(await handle(event, context))
}

/**
 * The handler of one endpoint group, its answers in pieces where they are long. What it stands on is opened with the
 * first request and kept for the next ones; if that fails, the next request tries again.
 */
export const openGroup = <R extends Routes>(
  routes: R,
  handlersOf: (domains: Served) => Handlers<R>,
  known?: readonly Place[],
): HttpHandler => {
  let opened: Promise<HttpHandler> | undefined
  const open = async () => {
    const config = readConfig()
    const ports = { ...openCloudPorts(config), adapters: await describeAgents(config) }
    const domains = createDomains(ports, config)
    const requests = createRequestMetrics(ports)
    const health = openHealth({ ports, domains, requests, writable: () => true })
    const guard = config.DYNAMODB_ENDPOINT === undefined ? closedGuard : localGuard
    const http = { ...ports, guard, record: requests.record }
    const handle = lambda(http, routes, handlersOf({ ...domains, health }), known)
    return (event: HttpEvent, context: object) => handle(withRequestId(event, ports.ids.next('req')), context)
  }
  return async (event, context) => {
    opened ??= open()
    try {
      return await (await opened)(event, context)
    } catch (thrown) {
      // Whatever a handler throws was answered by then: this is the function that could not be opened.
      opened = undefined
      const { requestId } = event.requestContext
      return withCommonHeaders(problemResult(problemOf(thrown), requestId), requestId)
    }
  }
}

/** Request ids are our own: whoever calls the function, they look the same everywhere. */
const withRequestId = (event: HttpEvent, requestId: string): HttpEvent => ({
  ...event,
  requestContext: { ...event.requestContext, requestId },
})

/** Without a way to sign in, a deployed service answers nobody; on emulators it is a local one. */
const closedGuard: Guard = (access) => {
  if (access === 'public') return { userId: 'anonymous', role: 'user' }
  throw new Problem(
    'forbidden',
    'sign_in_not_configured',
    'This deployment has no way to sign in: set AUTH_MODE to cloud or oidc',
  )
}

/** A function answers in one piece. */
const whole = async (result: HttpResult): Promise<Answer> => {
  if (typeof result.body === 'string') return { ...result, body: result.body }
  let body = ''
  for await (const piece of result.body) {
    body += piece
    if (body.length > LONGEST_BODY) return tooLong(result)
  }
  return { ...result, body }
}

const tooLong = ({ headers }: HttpResult): Answer => ({
  statusCode: 413,
  headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify({
    error: 'The answer is larger than a function can give; read it in pages, or from the streaming endpoint',
    code: 'answer_too_large',
  }),
})
