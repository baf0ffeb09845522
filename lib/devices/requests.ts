import { createHash } from 'node:crypto'
import { Problem } from '../core/errors.ts'
import { networkOf } from '../core/network.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Limit, Limiter } from '../ports/limiter.ts'
import type { Store } from '../ports/store.ts'
import { codeIn, grouped, newCode } from './code.ts'
import type { OwnIdentity } from './identity.ts'
import { type PairingSlots, slotKey } from './pairing-slots.ts'
import {
  type CodeRow,
  codeRows,
  type PairingRow,
  type PairingSlotRow,
  pairingSlots,
  pairings,
} from './rows.ts'
import type { PairingStatus } from './schema.ts'

/** How long a request can be approved, and its token be read. */
export const OPEN_MS = 600_000
/** How long a request that came to nothing still says so. */
const KEPT_MS = 86_400_000
const SECRET_ID_BYTES = 24
/** How often a request tries again that lost its slot to another of the same address. */
const TRIES = 20

/** Anybody may ask: what is sent to ask with is read so often. */
const ASKING: Limit = { name: 'pairingRequest', calls: 60, windowMs: 60_000 }

type Needs = {
  store: Store
  limiter: Limiter
  entropy: Entropy
  clock: Clock
  identity: Pick<OwnIdentity, 'codeHash'>
  slots: Pick<PairingSlots, 'free'>
}
/** Who asks, in their own words, and from where. */
export type Requester = { requesterId: string; meta?: Record<string, unknown> | undefined; address: string }
type Decision =
  | { status: 'approved'; approvedAt: string; approvedBy: string }
  | { status: 'rejected'; reason?: string }

export type Requests = ReturnType<typeof createRequests>

/** Requests to be paired, from their beginning to the one decision on them. */
export const createRequests = ({ store, limiter, entropy, clock, identity, slots }: Needs) => {
  const isOpen = ({ status, expiresAt }: PairingRow) =>
    status === 'pending' && Date.parse(expiresAt) > clock.now()

  /** Counts a request from an address, malformed ones too. Throws Problem `rate_limited`. */
  const count = async (address: string): Promise<void> => {
    const retryAfterMs = await limiter.take(ASKING, networkOf(address))
    if (retryAfterMs > 0)
      throw new Problem('rate_limited', 'rate_limited', 'Too many requests. Please try again in a minute.', {
        retryAfterMs,
      })
  }

  /** A caller with `requestId` reads the token, so it is stored as a hash and named so that logs mask it. */
  const create = async (requester: Requester) => {
    const requestId = `svc_pairing_${entropy(SECRET_ID_BYTES).toString('base64url')}`
    const request = requestOf(requestId, requester)
    const code = await stored(request)
    const { expiresAt } = request
    return { requestId, code: grouped(code, '-'), formatted: grouped(code, ' '), expiresAt }
  }

  const requestOf = (
    requestId: string,
    { requesterId, meta, address }: Requester,
  ): Omit<PairingRow, 'place'> => {
    const now = clock.now()
    return {
      id: idOf(requestId),
      requesterId,
      ...(meta === undefined ? {} : { meta }),
      status: 'pending',
      createdAt: iso(now),
      expiresAt: iso(now + OPEN_MS),
      address,
      keptUntil: now + OPEN_MS + KEPT_MS,
    }
  }

  /** Stores a request with its code and its slot, in one commit: a code belongs to one request, and so does a slot. */
  const stored = async (request: Omit<PairingRow, 'place'>): Promise<string> => {
    const expiresAt = Date.parse(request.expiresAt)
    for (let tries = 0; tries < TRIES; tries++) {
      const row: PairingRow = { ...request, place: await slots.free(request.address) }
      const code = newCode(entropy)
      const [address, place] = slotKey(row)
      const slot: PairingSlotRow = { address, place, pairingId: row.id, expiresAt }
      const ofCode: CodeRow = { id: await identity.codeHash(code), pairingId: row.id, expiresAt }
      const { applied } = await store.commit<PairingRow>({ insert: pairings, row }, [
        { insert: codeRows, row: ofCode },
        { insert: pairingSlots, row: slot },
      ])
      if (applied) return code
    }
    throw new Problem('unavailable', 'pairing_busy', 'Too many requests at once: try again', {
      retryAfterMs: 1_000,
    })
  }

  const find = (requestId: string): Promise<PairingRow | undefined> => store.get(pairings, idOf(requestId))

  const ofCode = async (entered: string): Promise<PairingRow | undefined> => {
    const code = codeIn(entered)
    const row = code === undefined ? undefined : await store.get(codeRows, await identity.codeHash(code))
    return row && store.get(pairings, row.pairingId)
  }

  /**
   * Decides on the open request of a code, once, and frees its slot: of several at a time one gets the row, all others
   * undefined.
   */
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
      [{ remove: pairingSlots, key: slotKey(request), when: { pairingId: request.id } }],
    )
    return outcome.applied ? outcome.row : undefined
  }

  const statusOf = (row: PairingRow): PairingStatus =>
    row.status === 'pending' && !isOpen(row) ? 'expired' : row.status

  return { count, create, find, decide, statusOf }
}

const idOf = (requestId: string) =>
  `pairing_${createHash('sha256').update(requestId).digest('hex').slice(0, 32)}`
