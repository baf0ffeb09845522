import { createHash } from 'node:crypto'
import { Problem } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { codeIn, grouped, newCode } from './code.ts'
import type { OwnIdentity } from './identity.ts'
import type { Places } from './places.ts'
import { type CodeRow, codeRows, type PairingRow, pairings } from './rows.ts'
import type { PairingStatus } from './schema.ts'

/** How long a request can be approved, and its token be read. */
export const OPEN_MS = 600_000
/** How long a request that came to nothing still says so. */
const KEPT_MS = 86_400_000
const SECRET_ID_BYTES = 24
const TRIES = 3

type Needs = {
  store: Store
  entropy: Entropy
  clock: Clock
  identity: Pick<OwnIdentity, 'codeHash'>
  places: Places
}
/** Who asks, in their own words, and from where. */
export type Requester = { requesterId: string; meta?: Record<string, unknown> | undefined; address: string }
type Decision =
  | { status: 'approved'; approvedAt: string; approvedBy: string }
  | { status: 'rejected'; reason?: string }

export type Requests = ReturnType<typeof createRequests>

/** Requests to be paired, from their beginning to the one decision on them. */
export const createRequests = ({ store, entropy, clock, identity, places }: Needs) => {
  const isOpen = ({ status, expiresAt }: PairingRow) =>
    status === 'pending' && Date.parse(expiresAt) > clock.now()

  /** Whoever has `requestId` reads the token, so it is stored as a hash and named so that logs mask it. */
  const create = async (requester: Requester) => {
    const requestId = `svc_pairing_${entropy(SECRET_ID_BYTES).toString('base64url')}`
    const request = await placed(requestId, requester)
    const code = await storedUnderCode(request)
    const { expiresAt } = request
    return { requestId, code: grouped(code, '-'), formatted: grouped(code, ' '), expiresAt }
  }

  const placed = async (
    requestId: string,
    { requesterId, meta, address }: Requester,
  ): Promise<PairingRow> => {
    const now = clock.now()
    const id = idOf(requestId)
    return {
      id,
      requesterId,
      ...(meta === undefined ? {} : { meta }),
      status: 'pending',
      createdAt: iso(now),
      expiresAt: iso(now + OPEN_MS),
      address,
      place: await places.take({ id, address, expiresAtMs: now + OPEN_MS }),
      keptUntil: now + OPEN_MS + KEPT_MS,
    }
  }

  /** A code belongs to one request: its row comes first and decides. A code without its request opens nothing. */
  const storedUnderCode = async (request: PairingRow): Promise<string> => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const code = newCode(entropy)
      const row: CodeRow = {
        id: await identity.codeHash(code),
        pairingId: request.id,
        expiresAt: Date.parse(request.expiresAt),
      }
      const outcome = await store.commit<CodeRow>({ insert: codeRows, row }, [
        { insert: pairings, row: request },
      ])
      if (outcome.applied) return code
    }
    throw new Problem('unavailable', 'pairing_codes_taken', 'No code is free: try again')
  }

  const find = (requestId: string): Promise<PairingRow | undefined> => store.get(pairings, idOf(requestId))

  const ofCode = async (entered: string): Promise<PairingRow | undefined> => {
    const code = codeIn(entered)
    const row = code === undefined ? undefined : await store.get(codeRows, await identity.codeHash(code))
    return row && store.get(pairings, row.pairingId)
  }

  /** Decides on the open request of a code, once: of several at a time one gets the row, all others undefined. */
  const decide = async (entered: string, decision: Decision): Promise<PairingRow | undefined> => {
    const request = await ofCode(entered)
    if (request === undefined || !isOpen(request)) return undefined
    const isApproval = decision.status === 'approved'
    const outcome = await store.commit<PairingRow>(
      {
        update: pairings,
        key: request.id,
        when: { status: 'pending' },
        // A device that does not fetch its token in time has not been paired.
        set: { ...decision, ...(isApproval ? { keptUntil: Date.parse(request.expiresAt) } : {}) },
      },
      [places.freed(request)],
    )
    return outcome.applied ? outcome.row : undefined
  }

  const statusOf = (row: PairingRow): PairingStatus =>
    row.status === 'pending' && !isOpen(row) ? 'expired' : row.status

  return { create, find, decide, statusOf }
}

const idOf = (requestId: string) =>
  `pairing_${createHash('sha256').update(requestId).digest('hex').slice(0, 32)}`
