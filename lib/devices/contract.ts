import * as z from 'zod'
import { canonicalJson } from '../core/canonical-json.ts'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { hasNoControls, shownText } from '../core/shown-text.ts'
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

/** Whether a value is JSON that all parsers read alike, of at most `most` bytes. */
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

const Code = z.string().min(1).max(64)
const Requested = { requestId: z.string(), expiresAt: z.string() }

export const deviceRoutes = defineRoutes({
  getDeviceIdentity: {
    method: 'GET',
    path: '/api/devices/identity',
    summary: 'Read who this service is as a device',
    access: 'public',
    response: DeviceIdentitySchema,
  },
  attest: {
    method: 'POST',
    path: '/api/devices/attest',
    summary: 'Sign data as this device',
    access: 'session',
    bodyLimit: BODY_LIMIT,
    body: z.object({ data: jsonObject(16_384) }),
    response: z.object({ attestation: AttestationSchema }),
  },
  verifyAttestation: {
    method: 'POST',
    path: '/api/devices/verify',
    summary: 'Check an attestation of any device',
    access: 'public',
    bodyLimit: BODY_LIMIT,
    body: z.object({
      attestation: z.record(z.string(), z.unknown()),
      maxAgeMs: z.int().positive(),
    }),
    response: VerificationSchema,
  },
  requestPairing: {
    method: 'POST',
    path: '/api/devices/pairing/request',
    summary: 'Ask for a device to be paired',
    access: 'public',
    limited: true,
    // The approver sees both texts; an unauthenticated caller wrote them.
    body: z.object({
      requesterId: shownText(200),
      meta: jsonObject(4_096).refine(hasNoControls, 'must not have control characters').optional(),
    }),
    response: z.object({ ...Requested, code: z.string(), formatted: z.string() }),
  },
  approvePairing: {
    method: 'POST',
    path: '/api/devices/pairing/approve',
    summary: 'Let the device with this code act for you',
    access: 'session',
    limited: true,
    // The approver is the caller; `approvedBy` is accepted and ignored.
    body: z.object({ code: Code, approvedBy: z.string().max(200).optional() }),
    response: z.object({ success: z.literal(true), request: PairingRequestSchema }),
  },
  rejectPairing: {
    method: 'POST',
    path: '/api/devices/pairing/reject',
    summary: 'Refuse the device with this code',
    access: 'session',
    limited: true,
    body: z.object({ code: Code, reason: z.string().max(500).optional() }),
    response: z.object({ success: z.literal(true) }),
  },
  getPairingStatus: {
    method: 'GET',
    path: '/api/devices/pairing/status/{requestId}',
    summary: 'Read how a pairing request stands, and its token once approved',
    access: 'public',
    secretPath: true,
    params: z.object({ requestId: z.string().max(200) }),
    response: PairingStateSchema,
  },
  listPendingPairings: {
    method: 'GET',
    path: '/api/devices/pairing/pending',
    summary: 'List the open pairing requests, newest first, at most 200',
    access: 'admin',
    response: z.object({ requests: z.array(PairingRequestSchema), count: z.number() }),
  },
  getPairingQr: {
    method: 'GET',
    path: '/api/devices/pairing/qr',
    summary: 'Ask for a device to be paired by a QR code that is to be scanned',
    access: 'public',
    writes: true,
    limited: true,
    response: z.object({ ...Requested, qrSvg: z.string(), pairingUrl: z.string() }),
  },
  cleanupPairings: {
    method: 'POST',
    path: '/api/devices/pairing/cleanup',
    summary: 'Remove pairing requests that have expired',
    access: 'session',
    response: z.object({ success: z.literal(true), deleted: z.number() }),
  },
  listPairedDevices: {
    method: 'GET',
    path: '/api/devices/paired',
    summary: 'List your paired devices, newest first; for admins those of all users',
    access: 'session',
    query: PageQuery,
    response: z.object({ devices: z.array(PairedDeviceSchema), ...pageAnswer }),
  },
  revokePairedDevice: {
    method: 'DELETE',
    path: '/api/devices/paired/{id}',
    summary: 'End the token of a paired device',
    access: 'session',
    params: z.object({ id: z.string().min(1).max(200) }),
    response: z.object({ message: z.string() }),
  },
})
