import { getPublicKeyAsync, signAsync, verifyAsync } from '@noble/ed25519'

/** The public key (32 bytes) of a secret key (32 bytes; RFC 8032, section 5.1.5). */
export const derivePublicKey = async (secret: Uint8Array): Promise<Buffer> =>
  Buffer.from(await getPublicKeyAsync(secret))

/** The signature, 64 bytes, of a message (RFC 8032, section 5.1.6). */
export const sign = async (message: Uint8Array, secret: Uint8Array): Promise<Buffer> =>
  Buffer.from(await signAsync(message, secret))

/**
 * Whether the signature is that key's (RFC 8032, section 5.1.7). Stricter than ZIP 215: it refuses encodings that are not
 * canonical, and keys of small order, for which one signature fits many messages. Never throws.
 */
export const isSignedBy = async (
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): Promise<boolean> => {
  if (signature.length !== 64 || publicKey.length !== 32) return false
  return verifyAsync(signature, message, publicKey, { zip215: false })
}
