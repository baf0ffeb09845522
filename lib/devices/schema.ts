import * as z from 'zod'

export const DeviceIdentitySchema = z.object({
  deviceId: z.string().meta({
    description: '`dev_`, followed by the first 32 hexadecimal digits of the SHA-256 of the key',
    examples: ['dev_5f1c8a0b2d4e6f708192a3b4c5d6e7f8'],
  }),
  publicKey: z.string().meta({
    description: 'Ed25519 public key (32 bytes) in base64',
    examples: ['11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='],
  }),
  fingerprint: z.string().describe('`sha256:`, followed by the SHA-256 of the key in hexadecimal'),
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
    signature: z.string().max(100).describe('Ed25519 signature in base64'),
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
  valid: z.boolean().describe('Whether the device signed it and it is not too old'),
  deviceId: z.string().optional().describe('Id of the device, if the signature is valid'),
  ageMs: z.number().optional(),
  error: VerificationErrorSchema.optional(),
})
export type Verification = z.output<typeof VerificationSchema>

const PairingStatusSchema = z.enum(['pending', 'approved', 'rejected', 'expired'])
export type PairingStatus = z.output<typeof PairingStatusSchema>

export const PairingStateSchema = z.object({
  status: PairingStatusSchema,
  token: z.string().optional().describe('Session token for the device, available until the request expires'),
  approvedAt: z.string().optional(),
  reason: z.string().optional().describe('Reason for the rejection'),
})
export type PairingState = z.output<typeof PairingStateSchema>

const Meta = z.record(z.string(), z.unknown())

/** A pairing request as people see it, without the secret id of its device. */
export const PairingRequestSchema = z.object({
  id: z.string(),
  requesterId: z.string().meta({ examples: ['laptop'] }),
  meta: Meta.optional(),
  status: PairingStatusSchema,
  address: z.string().meta({ description: 'IP address of the request', examples: ['192.0.2.7'] }),
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
  approvedBy: z.string().describe('User that the device acts for'),
  lastSeenAt: z.string().optional().describe('Last use, accurate to an hour'),
  expiresAt: z.string().describe('When the token expires'),
})
