import { createCipheriv, createDecipheriv } from 'node:crypto'
import { Problem } from './errors.ts'

const ALGORITHM = 'aes-256-gcm'
export const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The key, and the context of the text. A body opens only with the same key and context. */
type Lock = { key: Buffer; context: string }

/** AES-256-GCM (NIST SP 800-38D): base64url of nonce, ciphertext, tag. Random nonces last for 2^32 texts a key. */
export const sealBody = (text: string, nonce: Buffer, { key, context }: Lock): string => {
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(context),
  )
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}

/** Throws Problem `unavailable` `sealed_text_unreadable` for a body that was not sealed with this key and context. */
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

/** Decodes base64url. Node decodes leniently, so a text in any other spelling is refused. */
export const bytesIn = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw unreadable()
  return bytes
}

/** The error has no cause on purpose: the reason would help a forger and not the reader. */
export const unreadable = () =>
  new Problem(
    'unavailable',
    'sealed_text_unreadable',
    'A stored secret cannot be decrypted, because it was changed or its encryption key is missing. Enter it again, or restore the key.',
  )
