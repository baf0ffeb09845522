import { Problem, type ProblemKind } from './errors.ts'

type Extra = { details?: unknown; retryAfterMs?: number }

/** A Problem that also says whether another attempt of the task may succeed. */
export const taskFailure = (
  kind: ProblemKind,
  code: string,
  message: string,
  retryable: boolean,
  extra: Extra = {},
) => Object.assign(new Problem(kind, code, message, extra), { retryable })
