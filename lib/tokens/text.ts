import { createHash } from 'node:crypto'
import type { Entropy } from '../ports/entropy.ts'

// `svc_`, 26 characters that find the token's row, `_`, 160 random bits and 32 bits of checksum in hexadecimal. The
// form is one that scanners of repositories can look for.
const SECRET_BYTES = 20
const SUM_LENGTH = 8
const FORM = /^svc_([0-9A-Z]{26})_[0-9a-f]{48}$/
const ID_KIND = 'tok_'

/** The text of a new API token; the id of its row is in it. */
export const tokenText = (id: string, entropy: Entropy): string => {
  const text = `svc_${id.slice(ID_KIND.length)}_${entropy(SECRET_BYTES).toString('hex')}`
  return text + sumOf(text)
}

/**
 * The id of the row that a token's text belongs to. Undefined for what is no such text, or one that was mistyped or cut:
 * the checksum says so, and storage need not be asked. It is no proof of anything else.
 */
export const tokenIdIn = (text: string): string | undefined => {
  const id = FORM.exec(text)?.[1]
  if (id === undefined || sumOf(text.slice(0, -SUM_LENGTH)) !== text.slice(-SUM_LENGTH)) return undefined
  return ID_KIND + id
}

/** What is stored of a token. It has 160 random bits, so there is nothing to guess and nothing to slow down. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Not the stored hash, and no part of it. */
const sumOf = (text: string) => hashOf(`checksum\0${text}`).slice(0, SUM_LENGTH)
