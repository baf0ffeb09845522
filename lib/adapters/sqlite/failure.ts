import { messageOf, Problem } from '../../core/errors.ts'

/** Primary result codes (https://sqlite.org/rescode.html) that blame the file, the disk or the memory, not the statement. */
const MEDIUM: ReadonlySet<number> = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26])

/** The primary result code of an error that SQLite raised; undefined for every other error. */
export const resultCode = (thrown: unknown): number | undefined =>
  typeof thrown === 'object' && thrown !== null && 'errcode' in thrown && typeof thrown.errcode === 'number'
    ? thrown.errcode & 0xff
    : undefined

/** Whether the medium failed, so that no write of the same transaction can be trusted. */
export const mediumFailed = (thrown: unknown): boolean => MEDIUM.has(resultCode(thrown) ?? 0)

/** The error as the port promises it: Problem `unavailable` when the medium failed, else the error itself. */
export const asProblem = (thrown: unknown): unknown =>
  mediumFailed(thrown)
    ? new Problem('unavailable', 'storage_unavailable', `Storage is unavailable: ${messageOf(thrown)}.`, {
        cause: thrown,
      })
    : thrown
