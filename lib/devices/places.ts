import { Problem } from '../core/errors.ts'
import { networkOf } from '../core/network.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { type PairingRow, type PlaceRow, placeRows } from './rows.ts'

/** Open requests that one address, or the IPv6 network of one, may have at a time. */
const MOST_OPEN = 20
const PLACES = Array.from({ length: MOST_OPEN }, (_, n) => String(n).padStart(2, '0'))

type Needs = { store: Store; entropy: Entropy; clock: Clock }

/**
 * Each open request takes one of the places of its address: inserts decide who has which, so that requests which come
 * at once cannot outnumber the places. A place is free again when its request is decided or has expired.
 */
export const createPlaces = ({ store, entropy, clock }: Needs) => ({
  /** Takes a place; throws Problem `rate_limited` when there is none. */
  take: async ({ id, address, expiresAtMs }: { id: string; address: string; expiresAtMs: number }) => {
    const network = networkOf(address)
    // A place that somebody else took meanwhile is one fewer to try for.
    for (let attempt = 0; attempt <= MOST_OPEN; attempt++) {
      const { rows } = await store.page(placeRows, {
        index: 'ofAddress',
        is: network,
        order: 'asc',
        limit: MOST_OPEN,
      })
      const free = PLACES.filter((place) => rows.every((row) => row.place !== place))
      const place = free[entropy(1).readUInt8() % free.length]
      if (place === undefined) throw full(rows, clock.now())
      const row: PlaceRow = { address: network, place, pairingId: id, expiresAt: expiresAtMs }
      if ((await store.commit<PlaceRow>({ insert: placeRows, row })).applied) return place
    }
    throw full([], clock.now())
  },

  /** The write that gives a request's place back. */
  freed: ({ id, address, place }: PairingRow) => ({
    remove: placeRows,
    key: [networkOf(address), place] as const,
    when: { pairingId: id },
  }),
})

export type Places = ReturnType<typeof createPlaces>

const full = (taken: readonly PlaceRow[], now: number) => {
  const firstFreeAt = Math.min(...taken.map(({ expiresAt }) => expiresAt))
  const retryAfterMs = Number.isFinite(firstFreeAt) ? Math.max(1, firstFreeAt - now) : 1_000
  return new Problem(
    'rate_limited',
    'too_many_pairing_requests',
    `There are ${MOST_OPEN} open pairing requests from your address. Please try again when one is decided or expired.`,
    { retryAfterMs },
  )
}
