import type { HttpResult } from './event.ts'

/** Gives an answer the headers that every answer has; what a handler set itself stands. */
export const withCommonHeaders = (result: HttpResult, requestId: string): HttpResult => {
  const { headers } = result
  headers['content-type'] ??= 'application/json; charset=utf-8'
  headers['cache-control'] ??= 'no-store'
  headers['x-content-type-options'] = 'nosniff'
  headers['x-request-id'] = requestId
  return result
}
