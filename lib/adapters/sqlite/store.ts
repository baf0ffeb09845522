import type { Collection } from '../../core/collection.ts'
import { Problem } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Key, Query, Store, Write } from '../../ports/store.ts'
import { applier, tablesByName } from './apply.ts'
import { type Change, groupCommit } from './batch.ts'
import type { Fields } from './change.ts'
import { openDatabase } from './database.ts'
import { asProblem } from './failure.ts'
import { planOf } from './plan.ts'
import { openReads } from './reads.ts'
import { grow } from './schema.ts'
import { openSweep } from './sweep.ts'
import { openTable } from './table.ts'
import { openTallies } from './tally.ts'

type Needs = { file: string; collections: readonly Collection[]; clock: Clock }
/** `sweep` removes at most `limit` expired rows and says how many; they count as absent before. */
export type SqliteStore = Store & { sweep(limit: number): Promise<number> }

const open = ({ file, collections, clock }: Needs) => {
  const db = openDatabase(file)
  try {
    const plans = collections.map(planOf)
    grow(db, plans)
    const tallies = openTallies(db)
    const tableOf = tablesByName(plans.map((plan) => openTable({ db, plan, clock })))
    const totals = { flush: tallies.flush, forget: tallies.forget }
    const group = groupCommit({ db, apply: applier(tableOf, tallies), totals })
    return { db, tallies, tableOf, group, sweep: openSweep({ db, plans, clock }) }
  } catch (thrown) {
    db.close()
    throw asProblem(thrown)
  }
}

/**
 * Storage in one SQLite file, or in memory for `:memory:`. Everything happens on the calling thread: reads at once,
 * writes once per turn of the event loop in one transaction. Rows expire at the moment their `expires` field names.
 * Throws Problem `unavailable` when the file cannot be opened, `storage_too_new` when a newer version wrote it.
 */
export const openSqliteStore = (needs: Needs): SqliteStore => {
  const { db, tallies, tableOf, group, sweep } = open(needs)
  const read = openReads(db, needs.clock)
  let closed = false

  const whileOpen = <T>(work: () => T): T => {
    if (closed)
      throw new Problem('unavailable', 'storage_closed', 'Storage is closed: the service is stopping.')
    try {
      return work()
    } catch (thrown) {
      throw asProblem(thrown)
    }
  }

  // Rows are JSON that was checked where it was built: inside, every collection is one of `Fields`.
  const store = {
    get: async (of: Collection, key: Key, detail = false) => whileOpen(() => tableOf(of).get(key, detail)),
    page: async (of: Collection, query: Query<Fields>) => whileOpen(() => read.page(tableOf(of), query)),
    count: async (of: Collection, query: Query<Fields>) => whileOpen(() => read.count(tableOf(of), query)),
    commit: async (head: Write<Fields>, followers: Change['followers'] = [], detail = false) =>
      whileOpen(() => group.commit({ head, followers, detail })),
    tallies: async (name: string, from = '') => whileOpen(() => tallies.totals(name, from)),
    sweep: async (limit: number) => whileOpen(() => sweep(limit)),
    close: async () => {
      if (closed) return
      closed = true
      group.flush()
      try {
        db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      } finally {
        db.close()
      }
    },
  }
  return store as unknown as SqliteStore
}
