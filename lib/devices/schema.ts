import * as z from 'zod'

/** This service as a device: whom its attestations are from. */
export const DeviceIdentitySchema = z.object({
  /** `dev_` and the first 32 hexadecimal digits of the SHA-256 of the public key's 32 bytes. */
  deviceId: z.string(),
  /** The 32 bytes of the Ed25519 public key, in base64. */
  publicKey: z.string(),
  /** `sha256:` and the SHA-256 of the public key's 32 bytes, in hexadecimal. */
  fingerprint: z.string(),
})
export type DeviceIdentity = z.output<typeof DeviceIdentitySchema>

/** A statement of a device about itself or what it sees, signed by it. */
export const AttestationSchema = z.strictObject({
  deviceId: z.string().max(100),
  publicKey: z.string().max(100),
  attestation: z.strictObject({
    timestamp: z.string().max(30),
    nonce: z.string().min(16).max(128),
    data: z.record(z.string(), z.unknown()),
    signature: z.string().max(100),
  }),
})
export type Attestation = z.output<typeof AttestationSchema>

/** What can be wrong with an attestation. */
const VerificationErrorSchema = z.enum([
  'malformed',
  'device_id_mismatch',
  'bad_signature',
  'too_old',
  'from_the_future',
])

/** `deviceId` and `ageMs` are there when the device did sign it, whether or not that was too long ago. */
export const VerificationSchema = z.object({
  valid: z.boolean(),
  deviceId: z.string().optional(),
  ageMs: z.number().optional(),
  error: VerificationErrorSchema.optional(),
})
export type Verification = z.output<typeof VerificationSchema>

const PairingStatusSchema = z.enum(['pending', 'approved', 'rejected', 'expired'])
export type PairingStatus = z.output<typeof PairingStatusSchema>

/** The state of a request, as its device sees it. */
export const PairingStateSchema = z.object({
  status: PairingStatusSchema,
  /** A session token for the device, there until the request expires. */
  token: z.string().optional(),
  approvedAt: z.string().optional(),
  /** Why it was rejected, if that was said. */
  reason: z.string().optional(),
})
export type PairingState = z.output<typeof PairingStateSchema>

const Meta = z.record(z.string(), z.unknown())

/** A request to be paired, as people see it. The secret id that its device asks with is not in it. */
export const PairingRequestSchema = z.object({
  id: z.string(),
  requesterId: z.string(),
  meta: Meta.optional(),
  status: PairingStatusSchema,
  /** Where it came from. */
  address: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  approvedAt: z.string().optional(),
  approvedBy: z.string().optional(),
})

/** A device that may act for the user who approved it. */
export const PairedDeviceSchema = z.object({
  id: z.string(),
  requesterId: z.string(),
  meta: Meta.optional(),
  pairedAt: z.string(),
  /** The user it acts for. */
  approvedBy: z.string(),
  /** To the hour. */
  lastSeenAt: z.string().optional(),
  /** When its token ends, if it is not revoked before. */
  expiresAt: z.string(),
})
