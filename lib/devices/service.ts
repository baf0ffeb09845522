import type { Principal } from '../core/principal.ts'
import { createAttest, createVerify } from './attestation.ts'
import { createOwnIdentity } from './identity.ts'
import { createPaired } from './paired.ts'
import { createPairing } from './pairing.ts'
import { createRequests } from './requests.ts'
import { createTokens } from './tokens.ts'

type Needs = Omit<Parameters<typeof createRequests>[0], 'identity'> &
  Parameters<typeof createTokens>[0] &
  Parameters<typeof createPaired>[0] &
  Pick<Parameters<typeof createPairing>[0], 'audit'>

export type Devices = ReturnType<typeof createDevices>

/** The identity of this service as a device, and the devices that may act for its users. */
export const createDevices = (needs: Needs) => {
  const { audit } = needs
  const identity = createOwnIdentity(needs)
  const requests = createRequests({ ...needs, identity })
  const pairing = createPairing({ ...needs, requests, deviceToken: createTokens(needs) })
  const paired = createPaired(needs)

  const cleanup = async (principal: Principal): Promise<number> => {
    const deleted = await requests.cleanup()
    if (deleted > 0) await audit(principal, 'device.cleanup', { deleted })
    return deleted
  }

  const revoke = async (principal: Principal, id: string): Promise<void> => {
    const { requesterId, approvedBy } = await paired.revoke(principal, id)
    await audit(principal, 'device.revoke', { id, requesterId, approvedBy })
  }

  return {
    identity: identity.read,
    attest: createAttest({ ...needs, identity }),
    verify: createVerify(needs),
    pairing,
    pending: async () => (await requests.pending()).map(pairing.toPairingRequest),
    cleanup,
    paired: paired.list,
    revoke,
  }
}
