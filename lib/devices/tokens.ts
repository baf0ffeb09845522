import type { Cipher } from '../ports/cipher.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { AnyWrite, Store } from '../ports/store.ts'
import { type PairingRow, pairings } from './rows.ts'

const TOKEN_BYTES = 32

/** Makes the session of a token for a user's device, and the write that begins it, for a commit with other rows. */
export type DraftSession = (
  token: string,
  userId: string,
  deviceId: string,
) => { sessionId: string; expiresAt: number; write: AnyWrite }

type Needs = { store: Store; cipher: Cipher; entropy: Entropy; draftSession: DraftSession }

/** The token of an approved request. The commit that begins its session decides it. */
export const createTokens = ({ store, cipher, entropy, draftSession }: Needs) => {
  const tokenIn = async ({ id, sealedToken }: PairingRow): Promise<string | undefined> =>
    sealedToken === undefined ? undefined : cipher.open(sealedToken, sealContext(id))

  /** The token of an approved request that has not expired; undefined when the device was revoked meanwhile. */
  return async (row: PairingRow): Promise<string | undefined> => {
    const { id, approvedBy, sessionId } = row
    if (sessionId !== undefined) return tokenIn(row)
    if (approvedBy === undefined) return undefined
    const token = entropy(TOKEN_BYTES).toString('base64url')
    const session = draftSession(token, approvedBy, id)
    const outcome = await store.commit<PairingRow>(
      {
        update: pairings,
        key: id,
        when: { status: 'approved', sessionId: null },
        set: {
          sealedToken: await cipher.seal(token, sealContext(id)),
          sessionId: session.sessionId,
          keptUntil: session.expiresAt,
        },
      },
      [session.write],
    )
    if (outcome.applied) return token
    // Another request of the same device won: its token is valid.
    return outcome.row?.sessionId === undefined ? undefined : tokenIn(outcome.row)
  }
}

const sealContext = (id: string) => `devices/token/${id}`
