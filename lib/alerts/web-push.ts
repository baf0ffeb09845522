import { createCipheriv, createECDH, createPrivateKey, hkdfSync, sign } from 'node:crypto'

/** A key pair of curve P-256: the private scalar, and the public point in its uncompressed form. */
export type PushKeys = { privateKey: Buffer; publicKey: Buffer }

const CURVE = 'prime256v1'
const SCALAR_BYTES = 32
/** The bytes of an uncompressed point, which begin with 4. */
export const POINT_BYTES = 65
export const AUTH_BYTES = 16
const SALT_BYTES = 16
const KEY_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The size of the one record, as RFC 8291 (section 4) asks for; push services take no more. */
const RECORD_BYTES = 4_096
/** The padding delimiter of the last record (RFC 8188, section 2). */
const LAST_RECORD = Buffer.from([2])

/** Makes a key pair of random bytes; scalars outside of the group are drawn again. */
export const makePushKeys = (entropy: (bytes: number) => Buffer): PushKeys => {
  const pair = createECDH(CURVE)
  for (;;)
    try {
      const privateKey = entropy(SCALAR_BYTES)
      pair.setPrivateKey(privateKey)
      return { privateKey, publicKey: pair.getPublicKey() }
    } catch {
      // One in 2^32 draws is no scalar of the group.
    }
}

type Receiver = { p256dh: Buffer; auth: Buffer }
type Chance = { salt: Buffer; sender: PushKeys }

const derived = (key: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, bytes))

/**
 * Encrypts a message for one subscription: RFC 8291, with the content coding `aes128gcm` of RFC 8188. Each message has its
 * own salt and sender keys. Throws for a key that is no point of the curve, and RangeError for a text that is too long.
 */
export const encryptedPush = (text: string, { p256dh, auth }: Receiver, { salt, sender }: Chance): Buffer => {
  const plain = Buffer.concat([Buffer.from(text), LAST_RECORD])
  if (plain.length + TAG_BYTES > RECORD_BYTES) throw new RangeError('The message is too long to push')
  const own = createECDH(CURVE)
  own.setPrivateKey(sender.privateKey)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, sender.publicKey])
  const secret = derived(own.computeSecret(p256dh), auth, info, SCALAR_BYTES)
  const key = derived(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), KEY_BYTES)
  const nonce = derived(secret, salt, Buffer.from('Content-Encoding: nonce\0'), NONCE_BYTES)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const sizes = Buffer.alloc(5)
  sizes.writeUInt32BE(RECORD_BYTES)
  sizes.writeUInt8(sender.publicKey.length, 4)
  const sealed = [cipher.update(plain), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([salt, sizes, sender.publicKey, ...sealed])
}

/** The salt and sender keys of one message. */
export const pushChance = (entropy: (bytes: number) => Buffer): Chance => ({
  salt: entropy(SALT_BYTES),
  sender: makePushKeys(entropy),
})

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

type Claims = { endpoint: string; subject: string; expiresAtMs: number }

/** The value of `Authorization` for a push service: a token signed by ES256 (RFC 8292, sections 2 and 3). */
export const vapidAuthorization = (
  { privateKey, publicKey }: PushKeys,
  { endpoint, subject, expiresAtMs }: Claims,
): string => {
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(expiresAtMs / 1_000), sub: subject }
  const signed = `${base64url({ typ: 'JWT', alg: 'ES256' })}.${base64url(claims)}`
  const [first, second] = [publicKey.subarray(1, 33), publicKey.subarray(33)] as const
  const [x, y] = [first.toString('base64url'), second.toString('base64url')] as const
  const d = privateKey.toString('base64url')
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' })
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey.toString('base64url')}`
}
