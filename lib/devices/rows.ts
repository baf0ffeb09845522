import { collection } from '../core/collection.ts'

/** The identity of the installation, made once; `sealedSecret` is sealed by the cipher. */
export type IdentityRow = { id: string; publicKey: string; sealedSecret: string; createdAt: string }

export const identityRows = collection<IdentityRow>({ name: 'deviceIdentity', key: 'id', indexes: {} })

/**
 * A device from its request on. `id` is a hash of the secret id that the device asks with. An approved one is a paired
 * device: its token is worth something as long as this row is there.
 */
export type PairingRow = {
  id: string
  requesterId: string
  meta?: Record<string, unknown>
  /** A pending one that is past `expiresAt` has expired. */
  status: 'pending' | 'approved' | 'rejected'
  createdAt: string
  expiresAt: string
  /** Where it came from, and which of that address's slots it occupies while it is open. */
  address: string
  place: string
  approvedAt?: string
  /** The user that the device acts for. */
  approvedBy?: string
  reason?: string
  /** The token, sealed, from when the device first asked for it. */
  sealedToken?: string
  /** The session of the token, made in the same commit. */
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

/** Which request a code belongs to; `id` is a keyed hash of the code. */
export type CodeRow = { id: string; pairingId: string; expiresAt: number }

export const codeRows = collection<CodeRow>({
  name: 'pairingCodes',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
})

/** A slot of an address that an open request occupies. */
export type PairingSlotRow = { address: string; place: string; pairingId: string; expiresAt: number }

export const pairingSlots = collection<PairingSlotRow>({
  name: 'pairingPlaces',
  within: 'address',
  key: 'place',
  indexes: { ofAddress: { within: 'address', by: 'place' } },
  expires: 'expiresAt',
})
