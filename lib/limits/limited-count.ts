import { collection } from '../core/collection.ts'
import { busyError, createContention } from '../core/contention.ts'
import type { Problem } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { AnyWrite, Outcome, Store } from '../ports/store.ts'

type CountRow = { id: string; count: number }

export const limitedCounts = collection<CountRow>({ name: 'limitedCounts', key: 'id', indexes: {} })

type Needs = {
  store: Pick<Store, 'get' | 'commit'>
  clock: Pick<Clock, 'after'>
  entropy: Entropy
  id: string
  most: number
  tooMany: () => Problem
}

type CommitWith<R> = (count: AnyWrite) => Promise<Outcome<R>>

/**
 * A limit that is a condition of the write. Insert and number are one commit, on condition that the number is still the one
 * that was read: of concurrent inserts, no more than the limit succeed.
 */
export const createLimitedCount = (needs: Needs) => {
  const { store, clock, entropy, id, most, tooMany } = needs
  const contend = createContention({ clock, entropy }, () =>
    busyError('limit_busy', 'Too many are being created at once. Try again'),
  )

  const attempt = async <R>(commit: CommitWith<R>): Promise<true | undefined> => {
    const row = await store.get(limitedCounts, id)
    const count = row?.count ?? 0
    if (count >= most) throw tooMany()
    const { applied } = await commit(
      row === undefined
        ? { insert: limitedCounts, row: { id, count: count + 1 } }
        : { update: limitedCounts, key: id, when: { count }, set: { count: count + 1 } },
    )
    return applied ? true : undefined
  }

  return {
    /** Throws `tooMany` at the limit, and Problem `unavailable` `limit_busy` when other writers win every time. */
    insert: async <R>(commit: CommitWith<R>): Promise<void> => {
      await contend(() => attempt(commit))
    },
    remove: <R>(commit: CommitWith<R>): Promise<Outcome<R>> =>
      commit({ update: limitedCounts, key: id, add: { count: -1 } }),
  }
}
