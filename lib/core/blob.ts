import { Problem } from './errors.ts'

// What is common to every adapter of the port `Blobs`: which keys and texts it takes, and how its failures read.

const MOST_BYTES = 2 ** 24
const LONGEST_KEY = 512
const MOST_KEYS = 1_000

// Linear: a segment and a slash share no character. 200 characters fit a file name everywhere, a mark included.
const KEY = /^(?!\.{1,2}(?:\/|$))[\w.-]{1,200}(?:\/(?!\.{1,2}(?:\/|$))[\w.-]{1,200})*$/

/** Whether a text is a key as `Blobs` defines it. */
export const isBlobKey = (key: string): boolean => key.length <= LONGEST_KEY && KEY.test(key)

/** The key itself. Throws TypeError for one that is none. */
export const checkBlobKey = (key: string): string => {
  if (typeof key !== 'string' || !isBlobKey(key)) throw refusal('key', key)
  return key
}

/** The prefix itself. Throws TypeError unless a key can begin with it. */
export const checkBlobPrefix = (prefix: string): string => {
  if (typeof prefix !== 'string' || !(isBlobKey(prefix) || isBlobKey(`${prefix}x`)))
    throw refusal('prefix', prefix)
  return prefix
}

/** Throws TypeError unless `list` may be asked so. */
export const checkBlobList = (prefix: string, { limit, after }: { limit: number; after?: string }): void => {
  checkBlobPrefix(prefix)
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_KEYS) throw refusal('limit', limit)
  if (after !== undefined) checkBlobKey(after)
}

const refusal = (what: string, value: unknown) =>
  new TypeError(`Not a ${what} of a file: ${JSON.stringify(value)?.slice(0, 100)}`)

/** A text as UTF-8. Throws TypeError when it is ill-formed, Problem `too_large` when it is over 2^24 bytes. */
export const encodeBlob = (text: string): Uint8Array => {
  if (typeof text !== 'string' || !text.isWellFormed())
    throw new TypeError('The text of a file must be well-formed Unicode')
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > MOST_BYTES)
    throw new Problem(
      'too_large',
      'file_too_large',
      `The file is too large: keep it under ${MOST_BYTES} bytes.`,
    )
  return bytes
}

/** The text that `encodeBlob` wrote. Throws Problem `files_unavailable` for bytes that it cannot have written. */
export const decodeBlob = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (thrown) {
    throw filesUnavailable('one is damaged', thrown)
  }
}

/** The medium failed. `why` reaches callers, so it names no path and no host; `cause` stays in the log. */
export const filesUnavailable = (why: string, cause?: unknown) =>
  new Problem('unavailable', 'files_unavailable', `Files are unavailable (${why}).`, { cause })

/** The outcome of a call to the medium. What it throws, but a Problem, becomes Problem `files_unavailable`. */
export const reachFiles = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (thrown) {
    throw thrown instanceof Problem ? thrown : filesUnavailable(nameOf(thrown), thrown)
  }
}

/** What the system or the service calls the error (`ENOSPC`, `AccessDenied`): its message may name paths and hosts. */
const nameOf = (thrown: unknown): string => {
  const { code, name } = Object(thrown) as { code?: unknown; name?: unknown }
  return String(code ?? name ?? 'unknown error')
}
