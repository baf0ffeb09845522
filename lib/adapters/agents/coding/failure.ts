import { Problem, type ProblemKind } from '../../../core/errors.ts'

/** A Problem that also says whether another attempt could end otherwise. */
export const taskFailure = (kind: ProblemKind, code: string, message: string, retryable: boolean) =>
  Object.assign(new Problem(kind, code, message), { retryable })
