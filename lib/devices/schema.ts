import * as z from 'zod'

export const DeviceIdentitySchema = z.object({
  deviceId: z.string().meta({
    description: '`dev_` and the first 32 hexadecimal digits of the SHA-256 of the key',
    examples: ['dev_5f1c8a0b2d4e6f708192a3b4c5d6e7f8'],
  }),
  publicKey: z.string().meta({
    description: 'The 32 bytes of the Ed25519 key, in base64',
    examples: ['11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='],
  }),
  fingerprint: z.string().describe('`sha256:` and the SHA-256 of the key, in hexadecimal'),
})
export type DeviceIdentity = z.output<typeof DeviceIdentitySchema>

export const AttestationSchema = z.strictObject({
  deviceId: z.string().max(100),
  publicKey: z.string().max(100),
  attestation: z.strictObject({
    timestamp: z.string().max(30),
    nonce: z
      .string()
      .min(16)
      .max(128)
      .meta({ examples: ['cmFuZG9tIG5vbmNlIQ'] }),
    data: z.record(z.string(), z.unknown()),
    signature: z.string().max(100).describe('Ed25519, in base64'),
  }),
})
export type Attestation = z.output<typeof AttestationSchema>

const VerificationErrorSchema = z.enum([
  'malformed',
  'device_id_mismatch',
  'bad_signature',
  'too_old',
  'from_the_future',
])

export const VerificationSchema = z.object({
  valid: z.boolean().describe('Signed by the device, and not too old'),
  deviceId: z.string().optional().describe('Present when the signature is valid'),
  ageMs: z.number().optional(),
  error: VerificationErrorSchema.optional(),
})
export type Verification = z.output<typeof VerificationSchema>

const PairingStatusSchema = z.enum(['pending', 'approved', 'rejected', 'expired'])
export type PairingStatus = z.output<typeof PairingStatusSchema>

export const PairingStateSchema = z.object({
  status: PairingStatusSchema,
  token: z.string().optional().describe('A session token for the device, until the request expires'),
  approvedAt: z.string().optional(),
  reason: z.string().optional().describe('Of a rejection'),
})
export type PairingState = z.output<typeof PairingStateSchema>

const Meta = z.record(z.string(), z.unknown())

/** A pairing request as people see it, without the secret id of its device. */
export const PairingRequestSchema = z.object({
  id: z.string(),
  requesterId: z.string().meta({ examples: ['laptop'] }),
  meta: Meta.optional(),
  status: PairingStatusSchema,
  address: z.string().meta({ description: 'Where the request came from', examples: ['192.0.2.7'] }),
  createdAt: z.string(),
  expiresAt: z.string(),
  approvedAt: z.string().optional(),
  approvedBy: z.string().optional(),
})

export const PairedDeviceSchema = z.object({
  id: z.string(),
  requesterId: z.string().meta({ examples: ['laptop'] }),
  meta: Meta.optional(),
  pairedAt: z.string(),
  approvedBy: z.string().describe('The user for whom it acts'),
  lastSeenAt: z.string().optional().describe('To within an hour'),
  expiresAt: z.string().describe('When its token expires'),
})
