import { createHmac } from 'node:crypto'
import { NONCE_BYTES, openBody, sealBody, unreadable } from '../../core/sealed.ts'
import type { Cipher } from '../../ports/cipher.ts'
import type { Entropy } from '../../ports/entropy.ts'

/** Keys of 32 bytes: the first seals, every one opens what it has sealed. */
export type Keys = readonly [Buffer, ...Buffer[]]

type Needs = {
  /** Asked for at each use, so that keys may be made, and read, when they are first needed. */
  keys: () => Keys
  entropy: Entropy
}

/** The cipher with keys that the process has. A sealed text is `v1.<key id>.<body>`. */
export const createCipher = ({ keys, entropy }: Needs): Cipher => ({
  seal: async (text, context) => {
    const [key] = keys()
    const head = headOf(key)
    return `${head}.${sealBody(text, entropy(NONCE_BYTES), { key, context })}`
  },
  open: async (sealed, context) => {
    const end = sealed.lastIndexOf('.')
    const head = sealed.slice(0, Math.max(0, end))
    const key = keys().find((one) => headOf(one) === head)
    if (key === undefined) throw unreadable()
    return openBody(sealed.slice(end + 1), { key, context })
  },
})

/** A name for the key that reveals nothing of it. */
const headOf = (key: Buffer): string =>
  `v1.${createHmac('sha256', key).update('key id').digest('base64url').slice(0, 11)}`
