import { Problem } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import { leaseHolds } from '../core/wrong-clock.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'
import { type MemoryStateRow, memoryState } from './rows.ts'

const ID = 'memory'
const NOTHING: MemoryStateRow = { id: ID, version: 0 }

/** Longer than any function changes memory: the holder of an expired lease is dead. */
const LEASE_MS = 60_000
const LOOK_AGAIN_MS = 250
/** The longest wait for the lease: a function has to answer within 29 s. */
const LONGEST_WAIT_MS = 15_000

/** Whether a holder of the lease may be at work. */
export const isLeaseHeld = (
  { leaseToken, leaseUntil = 0 }: Pick<MemoryStateRow, 'leaseToken' | 'leaseUntil'>,
  now: number,
): boolean => leaseToken !== undefined && leaseHolds(leaseUntil, LEASE_MS, now)

type Needs = {
  store: Store
  clock: Clock
  ids: Ids
  /** Whether other processes change the same memory. */
  shared: boolean
}

/** The right to change memory. `isTorn`: the holder before died before it published. */
export type Lease = { token: string; isTorn: boolean } & Pick<
  MemoryStateRow,
  'version' | 'drift' | 'indexedAt'
>

export type VersionFacts = Pick<MemoryStateRow, 'lastSync' | 'listing' | 'embeddedBy'>

export type MemoryState = ReturnType<typeof createMemoryState>

/** The version of memory, and the lease for the next one. */
export const createMemoryState = ({ store, clock, ids, shared }: Needs) => {
  const read = async (): Promise<MemoryStateRow> => (await store.get(memoryState, ID)) ?? NOTHING

  const attempt = async (): Promise<Lease | undefined> => {
    const seen = await read()
    // A process alone with its storage needs no lease: a stored one belongs to a dead process.
    if (shared && isLeaseHeld(seen, clock.now())) return undefined
    const token = ids.next('lease')
    const lease = { leaseToken: token, leaseUntil: clock.now() + LEASE_MS }
    const row = { ...NOTHING, ...lease }
    const isFirst =
      seen === NOTHING && (await store.commit<MemoryStateRow>({ insert: memoryState, row })).applied
    const when = { version: seen.version, leaseToken: seen.leaseToken ?? null }
    const isTaken =
      isFirst ||
      (await store.commit<MemoryStateRow>({ update: memoryState, key: ID, when, set: lease })).applied
    const { version, drift, indexedAt } = seen
    return isTaken ? { token, version, drift, indexedAt, isTorn: seen.leaseToken !== undefined } : undefined
  }

  const take = async (): Promise<Lease> => {
    for (const until = clock.now() + LONGEST_WAIT_MS; ; ) {
      const lease = await attempt()
      if (lease) return lease
      if (clock.now() >= until) throw busy()
      await new Promise<void>((resolve) => void clock.after(LOOK_AGAIN_MS, resolve))
    }
  }

  /** Publishes the contents, and ends the lease unless its holder goes on; false when another process has taken it over. */
  const publish = async (
    { token }: Lease,
    set: Partial<MemoryStateRow>,
    goesOn = false,
  ): Promise<boolean> => {
    const { applied } = await retry(
      () =>
        store.commit<MemoryStateRow>({
          update: memoryState,
          key: ID,
          when: { leaseToken: token },
          set,
          unset: goesOn ? [] : ['leaseToken', 'leaseUntil'],
        }),
      clock,
    )
    return applied
  }

  /** Records that the index of a version is stored; false when there is a newer version. */
  const noteIndex = async (version: number): Promise<boolean> => {
    const set = { indexedAt: version, drift: 0 }
    return (await store.commit<MemoryStateRow>({ update: memoryState, key: ID, when: { version }, set }))
      .applied
  }

  return { read, take, publish, noteIndex }
}

const busy = () =>
  new Problem('unavailable', 'memory_busy', 'Memory is syncing. Try again in a moment', {
    retryAfterMs: 2_000,
  })
