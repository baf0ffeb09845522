import { ApiError } from '../../../../lib/api/api-error.ts'

type Detail = { path: string; message: string }

const isDetail = (value: unknown): value is Detail =>
  typeof value === 'object' && value !== null && 'path' in value && 'message' in value

const errorDetails = (error: unknown): Detail[] => {
  if (!(error instanceof ApiError) || !Array.isArray(error.details)) return []
  const details: unknown[] = error.details
  return details.filter(isDetail)
}

/** All messages about a field as one, which begins with a capital: `Must have at least 8 characters, must contain a number`. */
const errorsBy = (error: unknown, nameOf: (path: string) => string): Readonly<Record<string, string>> => {
  const byName = new Map<string, string>()
  for (const { path, message } of errorDetails(error)) {
    const name = nameOf(String(path))
    const before = byName.get(name)
    byName.set(name, before === undefined ? message.replace(/^./u, upper) : `${before}, ${message}`)
  }
  return Object.fromEntries(byName)
}
const upper = (letter: string) => letter.toUpperCase()

/** Validation messages by field: `{ title: 'Must not be empty' }`. */
export const fieldErrors = (error: unknown) => errorsBy(error, (path) => path.replace(/[.[].*$/, ''))

/** The same by group and field: `{ 'queue.concurrency': 'Must be at most 64' }`. */
export const groupedErrors = (error: unknown) => errorsBy(error, (path) => path.split(/[.[]/, 2).join('.'))
