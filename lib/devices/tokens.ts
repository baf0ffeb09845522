import type { Cipher } from '../ports/cipher.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { type PairingRow, pairings } from './rows.ts'

const TOKEN_BYTES = 32

/** Begins the session of a token that is decided already; doing it again changes nothing. */
export type BeginSession = (
  token: string,
  userId: string,
  deviceId: string,
) => Promise<{ sessionId: string; expiresAt: number }>

type Needs = { store: Store; cipher: Cipher; entropy: Entropy; beginSession: BeginSession }

/**
 * The one token of an approved request: decided by a conditional write, then made a session, then noted as one. Whoever
 * comes next finishes what was begun, and nobody is given the token before it works.
 */
export const createTokens = ({ store, cipher, entropy, beginSession }: Needs) => {
  /** The row with a token in it; of several that are decided at a time the first one stays. */
  const decided = async (row: PairingRow): Promise<PairingRow | undefined> => {
    if (row.sealedToken !== undefined) return row
    const token = entropy(TOKEN_BYTES).toString('base64url')
    const { row: standing } = await store.commit<PairingRow>({
      update: pairings,
      key: row.id,
      when: { status: 'approved', sealedToken: null, sessionId: null },
      set: { sealedToken: await cipher.seal(token, contextOf(row)) },
    })
    return standing
  }

  /** The token of an approved request that has not expired; undefined when the device was revoked meanwhile. */
  return async (approved: PairingRow): Promise<string | undefined> => {
    const row = await decided(approved)
    if (row?.sealedToken === undefined || row.approvedBy === undefined) return undefined
    const token = await cipher.open(row.sealedToken, contextOf(row))
    if (row.sessionId !== undefined) return token
    const { sessionId, expiresAt } = await beginSession(token, row.approvedBy, row.id)
    const { applied } = await store.commit<PairingRow>({
      update: pairings,
      key: row.id,
      when: { status: 'approved' },
      set: { sessionId, keptUntil: expiresAt },
    })
    return applied ? token : undefined
  }
}

const contextOf = ({ id }: PairingRow) => `devices/token/${id}`
