import { jsonText } from '../core/json.ts'
import type { HttpResult } from './event.ts'
import { type RawBody, Reply, type Route } from './route.ts'
import type { Warning } from './warnings.ts'

/** Converts a handler's result to the answer; an object with a 2xx status gets the warnings too. */
export const respond = (route: Route, answer: unknown, warnings: readonly Warning[] = []): HttpResult => {
  const { body, status, headers } = answer instanceof Reply ? answer : new Reply(answer)
  const statusCode = status ?? route.status ?? 200
  const isWarned = warnings.length > 0 && statusCode < 300 && isObject(body)
  return {
    statusCode,
    headers: { ...headers },
    body: isRaw(body) ? body.raw : jsonText(isWarned ? { ...body, warnings } : body),
  }
}

const isObject = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !Array.isArray(body)

const isRaw = (body: unknown): body is RawBody => isObject(body) && 'raw' in body

/** Adds the headers of every answer; headers that a handler set take precedence. */
export const withCommonHeaders = (result: HttpResult, requestId: string): HttpResult => {
  const { headers } = result
  headers['content-type'] ??= 'application/json; charset=utf-8'
  headers['cache-control'] ??= 'no-store'
  headers['x-content-type-options'] = 'nosniff'
  headers['x-request-id'] = requestId
  // RFC 9110, section 15.5.2; not a scheme for which browsers ask for a password.
  if (result.statusCode === 401) headers['www-authenticate'] ??= 'Bearer'
  return result
}
