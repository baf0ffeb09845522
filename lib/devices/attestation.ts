import { canonicalJson } from '../core/canonical-json.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import { isSignedBy } from './ed25519.ts'
import { type OwnIdentity, toDeviceIdentity } from './identity.ts'
import { type Attestation, AttestationSchema, type Verification } from './schema.ts'

/** No other signed text of the service begins with this prefix, so a signature cannot be used for another purpose. */
const DOMAIN = 'svc-attestation-v1\0'
const NONCE_BYTES = 16
/** The tolerated difference between two machines' clocks. */
const SKEW_MS = 30_000
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

type Claims = { deviceId: string; timestamp: string; nonce: string; data: Record<string, unknown> }

/** The bytes that a device signs: the domain, a zero byte, and the claims in canonical JSON (RFC 8785). */
export const signedBytes = ({ deviceId, timestamp, nonce, data }: Claims): Buffer =>
  Buffer.from(DOMAIN + canonicalJson({ deviceId, timestamp, nonce, data }))

type Needs = { identity: Pick<OwnIdentity, 'read' | 'sign'>; entropy: Entropy; clock: Pick<Clock, 'now'> }

export const createAttest =
  ({ identity, entropy, clock }: Needs) =>
  async (data: Record<string, unknown>): Promise<Attestation> => {
    const { deviceId, publicKey } = await identity.read()
    const timestamp = iso(clock.now())
    const nonce = entropy(NONCE_BYTES).toString('base64url')
    const signature = await identity.sign(signedBytes({ deviceId, timestamp, nonce, data }))
    return {
      deviceId,
      publicKey,
      attestation: { timestamp, nonce, data, signature: signature.toString('base64') },
    }
  }

/**
 * Whether the device that an attestation names signed it at most `maxAgeMs` ago. An attestation can be repeated within
 * that time: a receiver that must not accept it twice stores its nonce. Never throws.
 */
export const createVerify =
  ({ clock }: { clock: Clock }) =>
  async (given: unknown, maxAgeMs: number): Promise<Verification> => {
    const signed = attestationIn(given)
    if (signed === undefined) return { valid: false, error: 'malformed' }
    const { deviceId } = toDeviceIdentity(signed.publicKey)
    if (signed.deviceId !== deviceId) return { valid: false, error: 'device_id_mismatch' }
    if (!(await isSignedBy(signed.signature, signed.message, signed.publicKey)))
      return { valid: false, error: 'bad_signature' }
    const sinceMs = clock.now() - signed.signedAt
    const facts = { deviceId, ageMs: Math.max(0, sinceMs) }
    if (sinceMs < -SKEW_MS) return { valid: false, ...facts, error: 'from_the_future' }
    if (sinceMs > maxAgeMs) return { valid: false, ...facts, error: 'too_old' }
    return { valid: true, ...facts }
  }

const attestationIn = (given: unknown) => {
  const parsed = AttestationSchema.safeParse(given)
  if (!parsed.success) return undefined
  const { deviceId, attestation } = parsed.data
  const publicKey = bytesIn(parsed.data.publicKey, 32)
  const signature = bytesIn(attestation.signature, 64)
  const signedAt = momentIn(attestation.timestamp)
  const message = signedMessage({ deviceId, ...attestation })
  if (!publicKey || !signature || signedAt === undefined || !message) return undefined
  return { deviceId, publicKey, signature, message, signedAt }
}

/** The bytes of a text in canonical base64, if they have this length. */
const bytesIn = (text: string, length: number): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === length && bytes.toString('base64') === text ? bytes : undefined
}

/** Epoch milliseconds of a time in the service's format; undefined for any other text. */
const momentIn = (text: string): number | undefined => {
  const epochMs = MOMENT.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(epochMs) || iso(epochMs) !== text ? undefined : epochMs
}

const signedMessage = (claims: Claims): Buffer | undefined => {
  try {
    return signedBytes(claims)
  } catch {
    return undefined
  }
}
