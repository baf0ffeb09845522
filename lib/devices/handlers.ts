import { admitting, type Call, type Handlers } from '../http/route.ts'
import type { deviceRoutes } from './contract.ts'
import type { Devices } from './service.ts'

export const deviceHandlers = ({ devices }: { devices: Devices }): Handlers<typeof deviceRoutes> => ({
  getDeviceIdentity: () => devices.identity(),
  attest: async ({ body }) => ({ attestation: await devices.attest(body.data) }),
  verifyAttestation: ({ body }) => devices.verify(body.attestation, body.maxAgeMs),
  requestPairing: admitting(
    ({ origin }) => devices.pairing.countRequest(origin().address),
    ({ body }, { origin }) => devices.pairing.request({ ...body, address: origin().address }),
  ),
  approvePairing: admitting(
    (call) => devices.pairing.countCode(toApprover(call)),
    async ({ body }, call) => ({
      success: true as const,
      request: await devices.pairing.approve(toApprover(call), body.code),
    }),
  ),
  rejectPairing: admitting(
    (call) => devices.pairing.countCode(toApprover(call)),
    async ({ body }, call) => {
      await devices.pairing.reject(toApprover(call), body.code, body.reason)
      return { success: true as const }
    },
  ),
  getPairingStatus: ({ params }) => devices.pairing.status(params.requestId),
  listPendingPairings: async () => {
    const requests = await devices.pending()
    return { requests, count: requests.length }
  },
  getPairingQr: (_input, { origin }) => devices.pairing.qr(origin()),
  cleanupPairings: async (_input, { principal }) => ({
    success: true,
    deleted: await devices.cleanup(principal),
  }),
  listPairedDevices: ({ query }, { principal }) => devices.paired(principal, query),
  revokePairedDevice: async ({ params }, { principal }) => {
    await devices.revoke(principal, params.id)
    return { message: 'Device revoked' }
  },
})

const toApprover = ({ principal, origin }: Call) => ({ principal, address: origin().address })
