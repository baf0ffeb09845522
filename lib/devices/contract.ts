import * as z from 'zod'
import { canonicalJson } from '../core/canonical-json.ts'
import { idParams } from '../core/id-params.ts'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { boundedText, hasNoControls, shownText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import {
  AttestationSchema,
  DeviceIdentitySchema,
  PairedDeviceSchema,
  PairingRequestSchema,
  PairingStateSchema,
  VerificationSchema,
} from './schema.ts'

/** Room for data of 16 kB in any encoding, and its envelope. */
const BODY_LIMIT = 131_072

const fits = (most: number) => (value: unknown) => {
  try {
    return Buffer.byteLength(canonicalJson(value)) <= most
  } catch {
    return false
  }
}
const jsonObject = (most: number) =>
  z
    .record(z.string(), z.unknown())
    .refine(fits(most), `must be JSON of at most ${most} bytes, its texts well-formed`)

const Code = boundedText(64).meta({ examples: ['K7Q-XM2-9PA'] })
const Requested = { requestId: z.string().describe('Secret'), expiresAt: z.string() }

export const deviceRoutes = defineRoutes({
  getDeviceIdentity: {
    method: 'GET',
    path: '/api/devices/identity',
    summary: 'Read the device identity of this service',
    about: 'The Ed25519 identity that signs attestations of this service; made when it is first needed.',
    access: 'public',
    response: DeviceIdentitySchema,
  },
  attest: {
    method: 'POST',
    path: '/api/devices/attest',
    summary: 'Sign data as this device',
    about: 'With the time and a nonce.',
    access: 'session',
    bodyLimit: BODY_LIMIT,
    body: z.object({ data: jsonObject(16_384).meta({ examples: [{ build: 7 }] }) }),
    response: z.object({ attestation: AttestationSchema }),
  },
  verifyAttestation: {
    method: 'POST',
    path: '/api/devices/verify',
    summary: 'Check an attestation of any device',
    about:
      'Checks signature, id and age. An invalid attestation is answered 200, with `valid: false` and why.',
    access: 'public',
    bodyLimit: BODY_LIMIT,
    body: z.object({
      attestation: z.record(z.string(), z.unknown()).describe('As the device signed it'),
      maxAgeMs: z
        .int()
        .positive()
        .meta({ examples: [60_000] }),
    }),
    response: VerificationSchema,
  },
  requestPairing: {
    method: 'POST',
    path: '/api/devices/pairing/request',
    summary: 'Request pairing of a device',
    about:
      'For a device without a session. Show `formatted` to a person, and poll the status with `requestId`, which is secret.',
    access: 'public',
    limited: true,
    // The approver sees both texts; an unauthenticated caller wrote them.
    body: z.object({
      requesterId: shownText(200).meta({ description: 'The name of the device', examples: ['laptop'] }),
      meta: jsonObject(4_096)
        .refine(hasNoControls, 'must not contain control characters')
        .optional()
        .describe('More about the device, for the person who approves'),
    }),
    response: z.object({
      ...Requested,
      code: z.string(),
      formatted: z
        .string()
        .meta({ description: 'The code in groups, to read aloud', examples: ['K7Q XM2 9PA'] }),
    }),
  },
  approvePairing: {
    method: 'POST',
    path: '/api/devices/pairing/approve',
    summary: 'Approve the device with this code',
    about:
      'The device gets a session of yours for 30 days. Approve only a code that you see on your own device.',
    access: 'session',
    limited: true,
    body: z.object({
      code: Code,
      approvedBy: z.string().max(200).optional().describe('Ignored; you are the approver'),
    }),
    response: z.object({ success: z.literal(true), request: PairingRequestSchema }),
  },
  rejectPairing: {
    method: 'POST',
    path: '/api/devices/pairing/reject',
    summary: 'Reject the device with this code',
    access: 'session',
    limited: true,
    body: z.object({
      code: Code,
      reason: z.string().max(500).optional().describe('Shown to the device'),
    }),
    response: z.object({ success: z.literal(true) }),
  },
  getPairingStatus: {
    method: 'GET',
    path: '/api/devices/pairing/status/{requestId}',
    summary: 'Read the status of a pairing request, and its token once approved',
    about:
      'Poll about once a second until it is no longer pending. The token can be read until the request expires, 10 minutes after it was created.',
    access: 'public',
    secretPath: true,
    params: z.object({
      requestId: z
        .string()
        .max(200)
        .meta({ description: 'Secret', examples: ['secret-request-id'] }),
    }),
    response: PairingStateSchema,
  },
  listPendingPairings: {
    method: 'GET',
    path: '/api/devices/pairing/pending',
    summary: 'List the open pairing requests, newest first, at most 200',
    about: 'Codes are not shown.',
    access: 'admin',
    response: z.object({ requests: z.array(PairingRequestSchema), count: z.number() }),
  },
  getPairingQr: {
    method: 'GET',
    path: '/api/devices/pairing/qr',
    summary: 'Request pairing of a device by QR code',
    about: 'Like a request, with the code as an image.',
    access: 'public',
    writes: true,
    limited: true,
    response: z.object({ ...Requested, qrSvg: z.string(), pairingUrl: z.string() }),
  },
  cleanupPairings: {
    method: 'POST',
    path: '/api/devices/pairing/cleanup',
    summary: 'Delete expired pairing requests',
    about: 'They are also deleted automatically, later.',
    access: 'session',
    response: z.object({ success: z.literal(true), deleted: z.number() }),
  },
  listPairedDevices: {
    method: 'GET',
    path: '/api/devices/paired',
    summary: 'List your paired devices, newest first; admins see all',
    about: 'Devices whose token has not expired.',
    access: 'session',
    query: PageQuery,
    response: z.object({ devices: z.array(PairedDeviceSchema), ...pageAnswer }),
  },
  revokePairedDevice: {
    method: 'DELETE',
    path: '/api/devices/paired/{id}',
    summary: 'Revoke a paired device',
    about: 'Its session ends immediately.',
    access: 'session',
    params: idParams('pairing'),
    response: z.object({ message: z.string() }),
  },
})
