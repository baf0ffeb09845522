import { cutText } from './cut-text.ts'
import { Problem } from './errors.ts'

// Rules that every adapter of the port `Blobs` shares: valid keys and texts, and the errors of a failed call.

const MOST_BYTES = 2 ** 24
const LONGEST_KEY = 512
const MOST_KEYS = 1_000

// Linear: a segment and a slash share no character. 200 characters fit a file name everywhere, a mark included.
const KEY = /^(?!\.{1,2}(?:\/|$))[\w.-]{1,200}(?:\/(?!\.{1,2}(?:\/|$))[\w.-]{1,200})*$/

export const isBlobKey = (key: string): boolean => key.length <= LONGEST_KEY && KEY.test(key)

/** Returns the key. Throws TypeError for an invalid one. */
export const checkBlobKey = (key: string): string => {
  if (typeof key !== 'string' || !isBlobKey(key)) throw refusal('key', key)
  return key
}

/** Returns the prefix. Throws TypeError unless a valid key can begin with it. */
export const checkBlobPrefix = (prefix: string): string => {
  if (typeof prefix !== 'string' || !(isBlobKey(prefix) || isBlobKey(`${prefix}x`)))
    throw refusal('prefix', prefix)
  return prefix
}

/** Throws TypeError for arguments that `Blobs.list` does not allow. */
export const checkBlobList = (prefix: string, { limit, after }: { limit: number; after?: string }): void => {
  checkBlobPrefix(prefix)
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_KEYS) throw refusal('limit', limit)
  if (after !== undefined) checkBlobKey(after)
}

const refusal = (what: string, value: unknown) =>
  new TypeError(`Not a ${what} of a file: ${cutText(JSON.stringify(value) ?? 'undefined', 100)}`)

/** Encodes a text as UTF-8. Throws TypeError for ill-formed Unicode, and Problem `too_large` for more than 2^24 bytes. */
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

/** Decodes the bytes that `encodeBlob` wrote. Throws Problem `unavailable` `file_damaged` for any other bytes. */
export const decodeBlob = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (thrown) {
    throw new Problem('unavailable', 'file_damaged', 'A stored text is damaged.', { cause: thrown })
  }
}

/** The error of a medium that failed. Callers read `why`, so it names no path and no host; only the log has `cause`. */
export const filesUnavailable = (why: string, cause?: unknown) =>
  new Problem('unavailable', 'files_unavailable', `Files are unavailable (${why}).`, { cause })

/** Calls the medium. An error that is no Problem becomes Problem `files_unavailable`. */
export const reachFiles = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (thrown) {
    throw thrown instanceof Problem ? thrown : filesUnavailable(errorName(thrown), thrown)
  }
}

/** The error's code (`ENOSPC`, `AccessDenied`). Its message is not used: it may name paths and hosts. */
const errorName = (thrown: unknown): string => {
  const { code, name } = Object(thrown) as { code?: unknown; name?: unknown }
  return String(code ?? name ?? 'unknown error')
}
