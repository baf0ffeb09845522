import { createHmac } from 'node:crypto'
import { NONCE_BYTES, openBody, sealBody, unreadable } from '../../core/sealed.ts'
import type { Cipher } from '../../ports/cipher.ts'
import type { Entropy } from '../../ports/entropy.ts'

/** Keys of 32 bytes: the first one seals, every one opens its own texts. */
export type Keys = readonly [Buffer, ...Buffer[]]

type Needs = {
  /** Called at each use, so that keys are made, and read, when first needed. */
  keys: () => Keys
  entropy: Entropy
}

/** The cipher with the keys of the process. A sealed text is `v1.<key id>.<body>`. */
export const createCipher = ({ keys, entropy }: Needs): Cipher => ({
  seal: async (text, context) => {
    const [key] = keys()
    const head = textHead(key)
    return `${head}.${sealBody(text, entropy(NONCE_BYTES), { key, context })}`
  },
  open: async (sealed, context) => {
    const end = sealed.lastIndexOf('.')
    const head = sealed.slice(0, Math.max(0, end))
    const key = keys().find((one) => textHead(one) === head)
    if (key === undefined) throw unreadable()
    return openBody(sealed.slice(end + 1), { key, context })
  },
})

/** An id of the key that reveals nothing about it. */
const textHead = (key: Buffer): string =>
  `v1.${createHmac('sha256', key).update('key id').digest('base64url').slice(0, 11)}`
