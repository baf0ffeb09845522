import type { Handlers } from '../http/route.ts'
import type { deviceRoutes } from './contract.ts'
import type { Devices } from './service.ts'

export const deviceHandlers = ({ devices }: { devices: Devices }): Handlers<typeof deviceRoutes> => ({
  getDeviceIdentity: () => devices.identity(),
  attest: async ({ body }) => ({ attestation: await devices.attest(body.data) }),
  verifyAttestation: ({ body }) => devices.verify(body.attestation, body.maxAgeMs),
  requestPairing: ({ body }, { origin }) => devices.pairing.request({ ...body, address: origin().address }),
  approvePairing: async ({ body }, { principal, origin }) => ({
    success: true,
    request: await devices.pairing.approve({ principal, address: origin().address }, body.code),
  }),
  rejectPairing: async ({ body }, { principal, origin }) => {
    await devices.pairing.reject({ principal, address: origin().address }, body.code, body.reason)
    return { success: true }
  },
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
