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
    .refine(fits(most), `must be JSON of at most ${most} bytes with well-formed text`)

const Code = boundedText(64).meta({ examples: ['K7Q-XM2-9PA'] })
const Requested = {
  requestId: z.string().describe('Id of the request; keep it secret'),
  expiresAt: z.string(),
}

export const deviceRoutes = defineRoutes({
  getDeviceIdentity: {
    method: 'GET',
    path: '/api/devices/identity',
    summary: 'Get the device identity of the service',
    about: 'The Ed25519 identity that signs attestations of the service, created on first use.',
    access: 'public',
    response: DeviceIdentitySchema,
  },
  attest: {
    method: 'POST',
    path: '/api/devices/attest',
    summary: 'Create an attestation',
    about: 'Signs the data with the device identity of the service, together with the time and a nonce.',
    access: 'session',
    bodyLimit: BODY_LIMIT,
    body: z.object({ data: jsonObject(16_384).meta({ examples: [{ build: 7 }] }) }),
    response: z.object({ attestation: AttestationSchema }),
  },
  verifyAttestation: {
    method: 'POST',
    path: '/api/devices/verify',
    summary: 'Verify an attestation',
    about:
      'Checks signature, device id and age, for any device. An invalid attestation returns 200 with `valid: false` and the reason.',
    access: 'public',
    bodyLimit: BODY_LIMIT,
    body: z.object({
      attestation: z.record(z.string(), z.unknown()).describe('Attestation as signed by the device'),
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
    summary: 'Request device pairing',
    about:
      'For a device without a session. Show `formatted` to the user and poll the status with `requestId`, which must stay secret.',
    access: 'public',
    limited: true,
    // The approver sees both texts; an unauthenticated caller wrote them.
    body: z.object({
      requesterId: shownText(200).meta({ description: 'Name of the device', examples: ['laptop'] }),
      meta: jsonObject(4_096)
        .refine(hasNoControls, 'must not contain control characters')
        .optional()
        .describe('Details about the device, shown to the approver'),
    }),
    response: z.object({
      ...Requested,
      code: z.string(),
      formatted: z
        .string()
        .meta({ description: 'Code in groups, easy to read aloud', examples: ['K7Q XM2 9PA'] }),
    }),
  },
  approvePairing: {
    method: 'POST',
    path: '/api/devices/pairing/approve',
    summary: 'Approve a device pairing',
    about: 'The device acts as you for 30 days. Only approve a code that is shown on your own device.',
    access: 'session',
    limited: true,
    body: z.object({
      code: Code,
      approvedBy: z.string().max(200).optional().describe('Ignored; the approver is always you'),
    }),
    response: z.object({ success: z.literal(true), request: PairingRequestSchema }),
  },
  rejectPairing: {
    method: 'POST',
    path: '/api/devices/pairing/reject',
    summary: 'Reject a device pairing',
    access: 'session',
    limited: true,
    body: z.object({
      code: Code,
      reason: z.string().max(500).optional().describe('Reason shown on the device'),
    }),
    response: z.object({ success: z.literal(true) }),
  },
  getPairingStatus: {
    method: 'GET',
    path: '/api/devices/pairing/status/{requestId}',
    summary: 'Get the status of a pairing request',
    about:
      'Poll about once a second until the request is no longer pending. An approved request includes the token until it expires, 10 minutes after creation.',
    access: 'public',
    secretPath: true,
    params: z.object({
      requestId: z
        .string()
        .max(200)
        .meta({ description: 'Id of the request; keep it secret', examples: ['secret-request-id'] }),
    }),
    response: PairingStateSchema,
  },
  listPendingPairings: {
    method: 'GET',
    path: '/api/devices/pairing/pending',
    summary: 'List pending pairing requests',
    about: 'Newest first, at most 200. Codes are not included.',
    access: 'admin',
    response: z.object({ requests: z.array(PairingRequestSchema), count: z.number() }),
  },
  getPairingQr: {
    method: 'GET',
    path: '/api/devices/pairing/qr',
    summary: 'Request device pairing by QR code',
    about: 'Like a pairing request, with the code as an image.',
    access: 'public',
    writes: true,
    limited: true,
    response: z.object({ ...Requested, qrSvg: z.string(), pairingUrl: z.string() }),
  },
  cleanupPairings: {
    method: 'POST',
    path: '/api/devices/pairing/cleanup',
    summary: 'Delete expired pairing requests',
    about: 'Expired requests are also deleted automatically later.',
    access: 'session',
    response: z.object({ success: z.literal(true), deleted: z.number() }),
  },
  listPairedDevices: {
    method: 'GET',
    path: '/api/devices/paired',
    summary: 'List paired devices',
    about: 'Returns your paired devices with a valid token, newest first. Admins see all devices.',
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
