import { hash } from 'node:crypto'
import { definedFields } from '../core/defined-fields.ts'
import { Problem, refuseEarly } from '../core/errors.ts'
import { addressNetwork } from '../core/network.ts'
import { rowPages } from '../core/page.ts'
import { iso } from '../core/time.ts'
import { isTooLate, leaseHolds, tooLateFrom } from '../core/wrong-clock.ts'
import type { Limit, Limiter } from '../limits/limiter.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import type { OwnIdentity } from './identity.ts'
import {
  type CodeRow,
  codeRows,
  type PairingRow,
  type PairingSlotRow,
  pairingSlots,
  pairings,
} from './rows.ts'
import type { PairingStatus } from './schema.ts'

/** Crockford's base32: without the letters that look like digits, and without U. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 9
const ENTERED = /^[0-9A-HJKMNP-TV-Z]{9}$/

/** Nine characters of five random bits each; 256 is a multiple of 32, so all characters are equally likely. */
export const newCode = (entropy: Entropy): string =>
  Array.from(entropy(LENGTH), (byte) => DIGITS[byte & 31]).join('')

export const grouped = (code: string, between: '-' | ' '): string =>
  [code.slice(0, 3), code.slice(3, 6), code.slice(6)].join(between)

/** The separators of the groups: hyphens, dashes, all spaces, the minus sign, and invisible characters. */
const SEPARATORS = /[\s\p{Z}\p{Pd}\p{Cf}\u2212]/gu

/** An entered code in its original form; undefined for a text that cannot be a code. */
export const codeIn = (entered: string): string | undefined => {
  const code = entered.replaceAll(SEPARATORS, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return ENTERED.test(code) ? code : undefined
}

/** How long a request can be approved, and its token be read. */
const OPEN_MS = 600_000
/** The most open requests of one address, or of one IPv6 network. */
const MOST_OPEN = 20
const SLOTS = Array.from({ length: MOST_OPEN }, (_, n) => String(n).padStart(2, '0'))

const slotKey = ({ address, place }: { address: string; place: string }) =>
  [addressNetwork(address), place] as const

const full = (taken: readonly PairingSlotRow[], now: number) => {
  const firstFreeAt = Math.min(...taken.map(({ expiresAt }) => expiresAt))
  const message = `There are ${MOST_OPEN} open pairing requests from your address. Try again when one is decided or expired.`
  return new Problem('rate_limited', 'too_many_pairing_requests', message, {
    retryAfterMs: Math.max(1, firstFreeAt - now),
  })
}

/** How long a rejected or expired request still answers its state. */
const KEPT_MS = 86_400_000
const SECRET_ID_BYTES = 24
const MOST_LISTED = 200
const EXPIRED_PAGE = 200
/** The tries of a request that lost its slot to another one of the same address. */
const TRIES = 20

/** Requests need no sign-in, so each address has a limit. */
const ASKING: Limit = { name: 'pairingRequest', calls: 60, windowMs: 60_000 }

type Needs = {
  store: Store
  limiter: Limiter
  entropy: Entropy
  clock: Clock
  identity: Pick<OwnIdentity, 'codeHash'>
}
type Requester = { requesterId: string; meta?: Record<string, unknown> | undefined; address: string }
export type Decision =
  | { status: 'approved'; approvedAt: string; approvedBy: string }
  | { status: 'rejected'; reason?: string }

export type Requests = ReturnType<typeof createRequests>

/** Requests for pairing, from their creation to the decision. */
export const createRequests = ({ store, limiter, entropy, clock, identity }: Needs) => {
  const isInTime = ({ expiresAt }: PairingRow) => leaseHolds(Date.parse(expiresAt), OPEN_MS, clock.now())

  const isOpen = (row: PairingRow) => row.status === 'pending' && isInTime(row)

  /** Counts a request from an address, malformed ones too. Throws Problem `rate_limited`. */
  const count = async (address: string): Promise<void> => {
    const waitMs = await limiter.take(ASKING, addressNetwork(address))
    refuseEarly(waitMs, 'Too many requests. Try again in a minute.')
  }

  /** `requestId` gives access to the token, so it is stored as a hash, and has a name that logs mask. */
  const create = async ({ requesterId, meta, address }: Requester) => {
    const requestId = `svc_pairing_${entropy(SECRET_ID_BYTES).toString('base64url')}`
    const now = clock.now()
    const expiresAt = iso(now + OPEN_MS)
    const code = await storeRequest({
      id: requestKey(requestId),
      requesterId,
      ...definedFields({ meta }),
      status: 'pending',
      createdAt: iso(now),
      expiresAt,
      address,
      keptUntil: now + OPEN_MS + KEPT_MS,
    })
    return { requestId, code: grouped(code, '-'), formatted: grouped(code, ' '), expiresAt }
  }

  /**
   * A free slot of an address. Each open request occupies one, which its commit inserts, so that concurrent requests cannot
   * exceed their number. A slot is free again when its request is decided or has expired. Throws Problem `rate_limited`.
   */
  const findFreeSlot = async (address: string): Promise<string> => {
    const selection = {
      index: 'ofAddress',
      is: addressNetwork(address),
      order: 'asc',
      limit: MOST_OPEN,
    } as const
    const { rows } = await store.page(pairingSlots, selection)
    const now = clock.now()
    // A slot of a clock that ran ahead would be taken for as long as the clock was ahead.
    const { taken = [], stale = [] } = Object.groupBy(rows, ({ expiresAt }) =>
      isTooLate(expiresAt, now + OPEN_MS) ? 'stale' : 'taken',
    )
    await Promise.all(
      stale.map(({ address, place, pairingId }) =>
        store.commit({ remove: pairingSlots, key: [address, place], when: { pairingId } }),
      ),
    )
    const free = SLOTS.filter((slot) => taken.every(({ place }) => place !== slot))
    const slot = free[entropy(1).readUInt8() % free.length]
    if (slot === undefined) throw full(taken, now)
    return slot
  }

  /** Stores a request with its code and its slot in one commit: a code belongs to one request, and so does a slot. */
  const storeRequest = async (request: Omit<PairingRow, 'place'>): Promise<string> => {
    const expiresAt = Date.parse(request.expiresAt)
    for (let tries = 0; tries < TRIES; tries++) {
      const row: PairingRow = { ...request, place: await findFreeSlot(request.address) }
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
    throw new Problem('unavailable', 'pairing_busy', 'Too many requests at once. Try again', {
      retryAfterMs: 1_000,
    })
  }

  const find = (requestId: string): Promise<PairingRow | undefined> =>
    store.get(pairings, requestKey(requestId))

  const ofCode = async (entered: string): Promise<PairingRow | undefined> => {
    const code = codeIn(entered)
    const row = code === undefined ? undefined : await store.get(codeRows, await identity.codeHash(code))
    return row && store.get(pairings, row.pairingId)
  }

  /** Decides about a code's open request, once, and frees its slot; undefined for the other decisions. */
  const decide = async (entered: string, decision: Decision): Promise<PairingRow | undefined> => {
    const request = await ofCode(entered)
    if (request === undefined || !isOpen(request)) return undefined
    const isApproval = decision.status === 'approved'
    const outcome = await store.commit<PairingRow>(
      {
        update: pairings,
        key: request.id,
        when: { status: 'pending' },
        // A device that does not fetch its token in time is not paired.
        set: { ...decision, ...(isApproval ? { keptUntil: Date.parse(request.expiresAt) } : {}) },
      },
      [{ remove: pairingSlots, key: slotKey(request), when: { pairingId: request.id } }],
    )
    return outcome.applied ? outcome.row : undefined
  }

  const currentStatus = (row: PairingRow): PairingStatus =>
    row.status === 'pending' && !isOpen(row) ? 'expired' : row.status

  /** All requests have the same lifetime, so their age shows which have expired. */
  const newestExpired = () => clock.now() - OPEN_MS

  const pending = async (): Promise<PairingRow[]> => {
    const range = { from: iso(newestExpired() + 1), to: tooLateFrom(clock.now()) }
    const where = [{ field: 'createdAt' as const, ...range }]
    const selection = { index: 'byStatus', is: 'pending', where, order: 'desc', limit: MOST_LISTED } as const
    return (await store.page(pairings, selection)).rows
  }

  const removeExpired = async (status: PairingRow['status']): Promise<number> => {
    const where = [{ field: 'createdAt' as const, to: iso(newestExpired()) }]
    const query = { index: 'byStatus', is: status, where, order: 'asc', limit: EXPIRED_PAGE } as const
    let deleted = 0
    for await (const rows of rowPages((from) => store.page(pairings, { ...query, ...from }))) {
      const outcomes = await Promise.all(
        rows.map(({ id }) => store.commit<PairingRow>({ remove: pairings, key: id, when: { status } })),
      )
      deleted += outcomes.filter(({ applied }) => applied).length
    }
    return deleted
  }

  const cleanup = async (): Promise<number> =>
    (await removeExpired('pending')) + (await removeExpired('rejected'))

  return { count, create, find, decide, isInTime, currentStatus, pending, cleanup }
}

const requestKey = (requestId: string) => `pairing_${hash('sha256', requestId).slice(0, 32)}`
