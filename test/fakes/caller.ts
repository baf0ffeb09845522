import { createGroups } from '../../lib/api/table.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { lambda } from '../../lib/http/lambda.ts'
import { createDispatch } from '../../lib/http/router.ts'
import { brokenPromise } from '../api/promise.ts'
import { httpEvent } from './http-event.ts'
import { ANN, type StartedDomains, startDomains } from './service.ts'

type Request = { body?: unknown; headers?: Record<string, string>; as?: Principal }

/**
 * Calls the service's own handlers with API Gateway events, without a socket: routes, schemas and answers are those
 * of production, only who is calling is the test's choice. `call('GET /api/tasks?limit=2')`.
 */
export const createCaller = (domains: StartedDomains) => {
  let principal = ANN
  const http = {
    guard: async () => principal,
    holds: async () => true,
    proxies: { trustedHops: 0 },
    record: () => undefined,
    clock: domains.clock,
    log: domains.log,
  }
  const groups = createGroups(http, { ...domains, health: {} as never, describe: async () => ({}) })
  const dispatch = createDispatch(groups, lambda(http, {}, {}))

  return async (request: string, { body, headers = {}, as = ANN }: Request = {}) => {
    const event = httpEvent(request, body, headers)
    const { method, path } = event.requestContext.http
    principal = as
    const result = await dispatch(path)(event, {})
    if (result.statusCode === 500) throw new Error(`${request} failed`, { cause: lastFailure(domains.log) })
    const { body: given } = result
    const text =
      typeof given === 'string' || given instanceof Uint8Array ? String(given) : await joined(given)
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into the bodies of many routes.
    const answer = { status: result.statusCode, headers: result.headers, body: JSON.parse(text) as any }
    const broken = brokenPromise(method, path, answer)
    if (broken) throw new Error(broken)
    return answer
  }
}
/** What the last request that was our fault failed of: its answer does not say it. */
const lastFailure = ({ entries }: StartedDomains['log']) =>
  entries.findLast(({ message }) => message === 'request failed')?.fields.err

export type Caller = ReturnType<typeof createCaller>

/** All domains and a caller of them; nothing moves by itself unless `background` says so. */
export const startApi = async (options: Parameters<typeof startDomains>[0] = {}) => {
  const service = await startDomains({ background: false, ...options })
  return { service, call: createCaller(service), [Symbol.asyncDispose]: service[Symbol.asyncDispose] }
}
export type StartedApi = Awaited<ReturnType<typeof startApi>>

const joined = async (pieces: AsyncIterable<string>) => {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}
