import { Problem, type ProblemKind } from '../core/errors.ts'
import type { HttpResult } from './event.ts'

/** The one place where a kind of error becomes a status. */
export const statusOf: Readonly<Record<ProblemKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  method_not_allowed: 405,
  too_large: 413,
  rate_limited: 429,
  internal: 500,
  unsupported: 501,
  unavailable: 503,
}

/** What a caller sees of an error that was not meant for it. */
const concealed = (cause: unknown) =>
  new Problem(
    'internal',
    'internal_error',
    'Something went wrong on our side. The request id helps to find it.',
    {
      cause,
    },
  )

/** Any thrown value as the problem that the caller will see. */
export const problemOf = (thrown: unknown): Problem =>
  thrown instanceof Problem ? thrown : concealed(thrown)

/** The JSON answer `{error, code, details?, requestId}` of a problem. */
export const problemResult = (problem: Problem, requestId: string): HttpResult => ({
  statusCode: statusOf[problem.kind],
  headers: {
    ...problem.headers,
    ...(problem.retryAfterMs === undefined
      ? {}
      : { 'retry-after': String(Math.ceil(problem.retryAfterMs / 1_000)) }),
  },
  body: JSON.stringify({
    error: problem.message,
    code: problem.code,
    ...(problem.details === undefined ? {} : { details: problem.details }),
    requestId,
  }),
})
