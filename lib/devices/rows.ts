import { collection } from '../core/collection.ts'

/** The identity of the installation, made once; `sealedSecret` is sealed by the cipher. */
export type IdentityRow = { id: string; publicKey: string; sealedSecret: string; createdAt: string }

export const identityRows = collection<IdentityRow>({ name: 'deviceIdentity', key: 'id', indexes: {} })

/**
 * A device from its request on. `id` is a hash of the secret id with which the device asks. An approved row is a paired
 * device: its token is valid while the row exists.
 */
export type PairingRow = {
  id: string
  requesterId: string
  meta?: Record<string, unknown>
  /** A pending row that is past `expiresAt` has expired. */
  status: 'pending' | 'approved' | 'rejected'
  createdAt: string
  expiresAt: string
  /** The address of the request, and the slot that it occupies while it is open. */
  address: string
  place: string
  approvedAt?: string
  approvedBy?: string
  reason?: string
  /** The sealed token, set when the device first asks for it. */
  sealedToken?: string
  /** The session of the token, inserted by the same commit. */
  sessionId?: string
  lastSeenAt?: string
  keptUntil: number
}

export const pairings = collection<PairingRow>({
  name: 'pairings',
  key: 'id',
  indexes: {
    byStatus: { within: 'status', by: 'createdAt' },
    ofUser: { within: 'approvedBy', by: 'approvedAt' },
  },
  expires: 'keptUntil',
})

/** The request of a code; `id` is a keyed hash of the code. */
export type CodeRow = { id: string; pairingId: string; expiresAt: number }

export const codeRows = collection<CodeRow>({
  name: 'pairingCodes',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
})

/** A slot of an address, occupied by an open request. */
export type PairingSlotRow = { address: string; place: string; pairingId: string; expiresAt: number }

export const pairingSlots = collection<PairingSlotRow>({
  name: 'pairingSlots',
  within: 'address',
  key: 'place',
  indexes: { ofAddress: { within: 'address', by: 'place' } },
  expires: 'expiresAt',
})
