import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Wire } from './wire.ts'

const DIGITS = /^[0-9a-f]{64}$/

/**
 * Whether a header carries the HMAC-SHA256 (RFC 2104) of these bytes under the secret, in lower-case hexadecimal and in no
 * other form; without a secret nothing does. The time that it takes tells nothing of the right one.
 */
export const isSigned = (
  bytes: Buffer,
  given: string | undefined,
  { prefix }: Pick<Wire['signature'], 'prefix'>,
  secret: string | undefined,
): boolean => {
  if (secret === undefined || given === undefined || !given.startsWith(prefix)) return false
  const digits = given.slice(prefix.length)
  if (!DIGITS.test(digits)) return false
  return timingSafeEqual(createHmac('sha256', secret).update(bytes).digest(), Buffer.from(digits, 'hex'))
}
