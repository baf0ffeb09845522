import { hash } from 'node:crypto'
import type { Entropy } from '../ports/entropy.ts'

// `svc_`, 26 characters that find the token's row, `_`, 160 random bits and 32 bits of checksum in hexadecimal. Scanners
// of repositories can search for this form.
const SECRET_BYTES = 20
const SUM_LENGTH = 8
const FORM = /^svc_([0-9A-Z]{26})_[0-9a-f]{48}$/
const ID_KIND = 'tok_'

/** The text of a new API token; it contains the id of its row. */
export const tokenText = (id: string, entropy: Entropy): string => {
  const text = `svc_${id.slice(ID_KIND.length)}_${entropy(SECRET_BYTES).toString('hex')}`
  return text + checksum(text)
}

/**
 * The id of the row of a token's text. Undefined for a text of another form, or one that was mistyped or cut: the
 * checksum shows it without a read of storage. The checksum proves nothing else.
 */
export const tokenIdIn = (text: string): string | undefined => {
  const id = FORM.exec(text)?.[1]
  if (id === undefined || checksum(text.slice(0, -SUM_LENGTH)) !== text.slice(-SUM_LENGTH)) return undefined
  return ID_KIND + id
}

/** The stored hash of a token. The token has 160 random bits, so a fast hash suffices. */
export const tokenHash = (text: string): string => hash('sha256', text)

const checksum = (text: string) => tokenHash(`checksum\0${text}`).slice(0, SUM_LENGTH)
