import { shortenedText } from './cut-text.ts'

/** The kinds of errors. They do not depend on HTTP; `http/problem.ts` maps each kind to one status. */
export type ProblemKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'method_not_allowed'
  | 'too_large'
  | 'rate_limited'
  | 'internal'
  | 'unsupported'
  | 'unavailable'

/** One refused field of a request: its path (`labels.0`) and what is wrong with it. */
export type FieldIssue = { path: string; message: string }

type Extra = { details?: unknown; retryAfterMs?: number; headers?: Record<string, string>; cause?: unknown }

/** An error that callers may see, unless its kind is `internal`, as any other error is to them. `code` is a stable snake_case word for programs. */
export class Problem extends Error {
  readonly kind: ProblemKind
  readonly code: string
  readonly details: unknown
  readonly retryAfterMs: number | undefined
  readonly headers: Record<string, string>

  constructor(kind: ProblemKind, code: string, message: string, extra: Extra = {}) {
    super(message, { cause: extra.cause })
    this.name = 'Problem'
    this.kind = kind
    this.code = code
    this.details = extra.details
    this.retryAfterMs = extra.retryAfterMs
    this.headers = extra.headers ?? {}
  }
}

/** A value that does not fit its schema. Its message names the value itself `body`. */
export class Invalid extends Problem {
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[], code: string) {
    super('invalid', code, issuesText(issues, 'body'), { details: issues })
    this.issues = issues
  }
}

/** A request that does not fit its schema; `issues` name every field at fault. */
export const invalid = (issues: readonly FieldIssue[], code = 'validation_failed') =>
  new Invalid(issues, code)

/** Prefixes the fields of a validation error with `part`; returns any other error unchanged. */
export const withPathPrefix = (part: string, thrown: unknown): unknown => {
  if (!(thrown instanceof Problem && thrown.kind === 'invalid' && Array.isArray(thrown.details)))
    return thrown
  // A list among the details of such a problem is one of fields; see `invalid`.
  const issues = thrown.details as readonly FieldIssue[]
  return invalid(
    issues.map(({ path, message }) => ({ path: path === '' ? part : `${part}.${path}`, message })),
    thrown.code,
  )
}

/** Names a field of the request as the fault of a Problem `invalid`; returns any other error unchanged. */
export const asFieldIssue = (path: string, thrown: unknown): unknown =>
  thrown instanceof Problem && thrown.kind === 'invalid'
    ? invalid([{ path, message: thrown.message }], thrown.code)
    : thrown

/** One text of all fields at fault; `root` names the value that they belong to. */
export const issuesText = (issues: readonly FieldIssue[], root: string): string =>
  issues.map(({ path, message }) => `${path || root}: ${message}`).join('; ')

/** The error for an id that does not exist, or that this caller may not see. */
export const missing = (what: string) =>
  new Problem('missing', `${what.toLowerCase().replaceAll(' ', '_')}_not_found`, `${what} not found`)

/** Returns a value that was looked up. Throws `missing` for undefined. */
export const existing = <T>(value: T | undefined, what: string): T => {
  if (value === undefined) throw missing(what)
  return value
}

/** The message of a thrown value, cut. `mask` runs before the cut: it would not find half a secret. */
export const errorMessage = (thrown: unknown, most = 1_000, mask = (text: string) => text): string => {
  const text = mask(thrown instanceof Error ? thrown.message || thrown.name : String(thrown))
  return shortenedText(text, most)
}

/** For a promise's `catch`: gives storage's Problem `selection_too_broad` a message in the terms of the request. */
export const withTooBroad =
  (message: string) =>
  (thrown: unknown): never => {
    if (!(thrown instanceof Problem) || thrown.code !== 'selection_too_broad') throw thrown
    throw new Problem(thrown.kind, thrown.code, message, { cause: thrown })
  }

/** Throws Problem `rate_limited` when a limiter demands a wait. */
export const refuseEarly = (retryAfterMs: number, message: string): void => {
  if (retryAfterMs > 0) throw new Problem('rate_limited', 'rate_limited', message, { retryAfterMs })
}
