import type { Principal } from '../core/principal.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import { createAttest, createVerify } from './attestation.ts'
import { createOwnIdentity } from './identity.ts'
import { createPaired } from './paired.ts'
import { createGuesses, createPairing } from './pairing.ts'
import { createPairingSlots, createPending, createRequests } from './requests.ts'
import { createTokens, type DraftSession } from './tokens.ts'

type Needs = {
  store: Store
  cipher: Cipher
  entropy: Entropy
  limiter: Limiter
  clock: Clock
  log: Log
  draftSession: DraftSession
  closeSession: (sessionId: string) => Promise<unknown>
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}

export type Devices = ReturnType<typeof createDevices>

/** The identity of this service as a device, and the devices that may act for its users. */
export const createDevices = (needs: Needs) => {
  const { audit } = needs
  const identity = createOwnIdentity(needs)
  const requests = createRequests({ ...needs, identity, slots: createPairingSlots(needs) })
  const pairing = createPairing({
    requests,
    guesses: createGuesses(needs),
    deviceToken: createTokens(needs),
    clock: needs.clock,
    audit,
  })
  const pending = createPending(needs)
  const paired = createPaired(needs)

  const cleanup = async (principal: Principal): Promise<number> => {
    const deleted = await pending.cleanup()
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
    pending: async () => (await pending.list()).map(pairing.toPairingRequest),
    cleanup,
    paired: paired.list,
    revoke,
  }
}
