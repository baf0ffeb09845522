/** What went wrong, in terms that know nothing of HTTP; `http/problem.ts` maps each kind to one status. */
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

/** One field of a request that was refused: where it is (`labels.0`) and what is wrong with it. */
export type FieldIssue = { path: string; message: string }

type Extra = { details?: unknown; retryAfterMs?: number; headers?: Record<string, string>; cause?: unknown }

/**
 * An error that its caller may see. `code` is a stable snake_case word that programs match on, `message` tells a
 * person what to do. Every other error reaches the caller as a bare `internal`.
 */
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

/** What does not fit its schema; its message calls the whole `body`. */
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

/** What is wrong with a part of a request, as what is wrong with the whole: its fields are those of `part`. */
export const asPartOf = (part: string, thrown: unknown): unknown => {
  if (!(thrown instanceof Problem && thrown.kind === 'invalid' && Array.isArray(thrown.details)))
    return thrown
  // A list among the details of such a problem is one of fields; see `invalid`.
  const issues = thrown.details as readonly FieldIssue[]
  return invalid(
    issues.map(({ path, message }) => ({ path: path === '' ? part : `${part}.${path}`, message })),
    thrown.code,
  )
}

/** Every field at fault and what is wrong with it; `whole` is what they are fields of. */
export const issuesText = (issues: readonly FieldIssue[], whole: string): string =>
  issues.map(({ path, message }) => `${path || whole}: ${message}`).join('; ')

/** Nothing there under that id, or nothing that this caller may know of. */
export const missing = (what: string) =>
  new Problem('missing', `${what.toLowerCase().replaceAll(' ', '_')}_not_found`, `${what} not found`)

/**
 * The message of anything that was thrown, cut to a length that fits a log line or a stored error. `mask` sees it before
 * it is cut: half a secret would not be found.
 */
export const messageOf = (thrown: unknown, most = 1_000, mask = (text: string) => text): string => {
  const text = mask(thrown instanceof Error ? thrown.message || thrown.name : String(thrown))
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}
