import * as z from 'zod'

/** This service as a device, the signer of its attestations. */
export const DeviceIdentitySchema = z.object({
  /** `dev_` and the first 32 hexadecimal digits of the SHA-256 of the public key's 32 bytes. */
  deviceId: z.string(),
  /** The 32 bytes of the Ed25519 public key, in base64. */
  publicKey: z.string(),
  /** `sha256:` and the SHA-256 of the public key's 32 bytes, in hexadecimal. */
  fingerprint: z.string(),
})
export type DeviceIdentity = z.output<typeof DeviceIdentitySchema>

/** A statement of a device about itself or its surroundings, with its signature. */
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

/** The faults of an attestation. */
const VerificationErrorSchema = z.enum([
  'malformed',
  'device_id_mismatch',
  'bad_signature',
  'too_old',
  'from_the_future',
])

/** `deviceId` and `ageMs` are set when the signature is valid, even if the attestation is too old. */
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
  /** A session token for the device, readable until the request expires. */
  token: z.string().optional(),
  approvedAt: z.string().optional(),
  /** The reason of the rejection, if one was given. */
  reason: z.string().optional(),
})
export type PairingState = z.output<typeof PairingStateSchema>

const Meta = z.record(z.string(), z.unknown())

/** A pairing request as people see it, without the secret id of its device. */
export const PairingRequestSchema = z.object({
  id: z.string(),
  requesterId: z.string(),
  meta: Meta.optional(),
  status: PairingStatusSchema,
  /** The address of the request. */
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
  /** The user for whom it acts. */
  approvedBy: z.string(),
  /** To the hour. */
  lastSeenAt: z.string().optional(),
  /** When its token expires, unless it is revoked before. */
  expiresAt: z.string(),
})
