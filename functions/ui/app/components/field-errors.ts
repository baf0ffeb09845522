import { ApiError } from '../../../../lib/api/api-error.ts'

type Detail = { path: string; message: string }

const isDetail = (value: unknown): value is Detail =>
  typeof value === 'object' && value !== null && 'path' in value && 'message' in value

const errorDetails = (error: unknown): Detail[] => {
  if (!(error instanceof ApiError) || !Array.isArray(error.details)) return []
  const details: unknown[] = error.details
  return details.filter(isDetail)
}

/** Validation messages by field: `{ title: 'Too small' }`. */
export const fieldErrors = (error: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    errorDetails(error).map(({ path, message }) => [String(path).replace(/[.[].*$/, ''), message]),
  )

/** The same by group and field: `{ 'queue.concurrency': 'Too big' }`. */
export const groupedErrors = (error: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    errorDetails(error).map(({ path, message }) => [String(path).split(/[.[]/, 2).join('.'), message]),
  )
