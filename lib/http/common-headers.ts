import type { HttpResult } from './event.ts'

/** Gives an answer the headers that every answer has; what a handler set itself stands. */
export const withCommonHeaders = (result: HttpResult, requestId: string): HttpResult => {
  const { headers } = result
  headers['content-type'] ??= 'application/json; charset=utf-8'
  headers['cache-control'] ??= 'no-store'
  headers['x-content-type-options'] = 'nosniff'
  headers['x-request-id'] = requestId
  // RFC 9110, section 15.5.2; no scheme that a browser asks its person for a password by.
  if (result.statusCode === 401) headers['www-authenticate'] ??= 'Bearer'
  return result
}
