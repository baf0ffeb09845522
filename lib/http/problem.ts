import { Problem, type ProblemKind } from '../core/errors.ts'
import { jsonText } from '../core/json.ts'
import { retryAfterSeconds } from '../core/retry-after.ts'
import type { HttpResult } from './event.ts'

/** The only mapping of kinds of errors to statuses. */
export const statusByKind: Readonly<Record<ProblemKind, number>> = {
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

/** The wait of a caller when the limit does not give one, as a provider's may not. */
const UNKNOWN_WAIT_MS = 60_000

const concealed = (cause: unknown) =>
  new Problem(
    'internal',
    'internal_error',
    'Something went wrong. The service log has details under the request id.',
    { cause },
  )

/** The error as its caller sees it: the reason of an internal one is for the log. */
export const toProblem = (thrown: unknown): Problem =>
  thrown instanceof Problem && thrown.kind !== 'internal' ? thrown : concealed(thrown)

export const problemResult = (problem: Problem, requestId: string): HttpResult => {
  const { kind, message: error, code, details, headers } = problem
  const waitMs = problem.retryAfterMs ?? (kind === 'rate_limited' ? UNKNOWN_WAIT_MS : undefined)
  return {
    statusCode: statusByKind[kind],
    headers: {
      ...headers,
      ...(waitMs === undefined ? {} : { 'retry-after': retryAfterSeconds(waitMs) }),
    },
    body: jsonText({ error, code, ...(details === undefined ? {} : { details }), requestId }),
  }
}
