import { Problem } from '../core/errors.ts'
import { networkOf } from '../core/network.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { type PairingSlotRow, pairingSlots } from './rows.ts'

/** Open requests that one address, or the IPv6 network of one, may have at a time. */
const MOST_OPEN = 20
const SLOTS = Array.from({ length: MOST_OPEN }, (_, n) => String(n).padStart(2, '0'))

type Needs = { store: Store; entropy: Entropy; clock: Clock }

/**
 * Each open request occupies one of the slots of its address: its insert is part of the commit that stores the request, so
 * that requests which come at once cannot outnumber the slots. A slot is free again when its request is decided or has
 * expired.
 */
export const createPairingSlots = ({ store, entropy, clock }: Needs) => ({
  /** One of the free slots of an address. Throws Problem `rate_limited` when there is none. */
  free: async (address: string): Promise<string> => {
    const { rows } = await store.page(pairingSlots, {
      index: 'ofAddress',
      is: networkOf(address),
      order: 'asc',
      limit: MOST_OPEN,
    })
    const free = SLOTS.filter((slot) => rows.every(({ place }) => place !== slot))
    const slot = free[entropy(1).readUInt8() % free.length]
    if (slot === undefined) throw full(rows, clock.now())
    return slot
  },
})

export type PairingSlots = ReturnType<typeof createPairingSlots>

/** The key of the slot that a request occupies. */
export const slotKey = ({ address, place }: { address: string; place: string }) =>
  [networkOf(address), place] as const

const full = (taken: readonly PairingSlotRow[], now: number) => {
  const firstFreeAt = Math.min(...taken.map(({ expiresAt }) => expiresAt))
  const message = `There are ${MOST_OPEN} open pairing requests from your address. Please try again when one is decided or expired.`
  return new Problem('rate_limited', 'too_many_pairing_requests', message, {
    retryAfterMs: Math.max(1, firstFreeAt - now),
  })
}
