import { createCipheriv, createDecipheriv } from 'node:crypto'
import { Problem } from './errors.ts'

const ALGORITHM = 'aes-256-gcm'
export const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The key, and what the text is: a body opens with the very same of both only. */
type Lock = { key: Buffer; context: string }

/**
 * AES-256-GCM (NIST SP 800-38D) as base64url of nonce, ciphertext and tag. The nonce must never have been used with
 * this key before: 96 random bits allow 2^32 texts per key.
 */
export const sealBody = (text: string, nonce: Buffer, { key, context }: Lock): string => {
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(context),
  )
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}

/** The text of a body. Throws Problem `unavailable` `sealed_text_unreadable` for one that is not what `sealBody` made. */
export const openBody = (body: string, { key, context }: Lock): string => {
  const bytes = bytesIn(body)
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw unreadable()
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(-TAG_BYTES)
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    throw unreadable()
  }
}

/** The bytes of a base64url text. Decoding is lenient, so a text that is not written as it would be is refused. */
export const bytesIn = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw unreadable()
  return bytes
}

/** Deliberately without a cause: why a text does not open is nothing that helps its reader, but may help a forger. */
export const unreadable = () =>
  new Problem(
    'unavailable',
    'sealed_text_unreadable',
    'A stored secret cannot be read: it was changed, or sealed with a key that is not here. Enter it again, or bring the key back.',
  )
