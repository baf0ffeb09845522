import { Problem, type ProblemKind } from './errors.ts'

/** A Problem that also says whether another attempt of the task may succeed. */
export const taskFailure = (
  kind: ProblemKind,
  code: string,
  message: string,
  retryable: boolean,
  details?: unknown,
) => Object.assign(new Problem(kind, code, message, { details }), { retryable })
