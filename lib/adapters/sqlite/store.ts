import type { Collection } from '../../core/collection.ts'
import { Problem } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Key, Query, Store, Write } from '../../ports/store.ts'
import { applier, tablesByName } from './apply.ts'
import { type Change, groupCommit } from './batch.ts'
import type { Fields } from './change.ts'
import { openDatabase } from './database.ts'
import { asProblem } from './failure.ts'
import { openHighWater } from './high-water.ts'
import { createHot } from './hot.ts'
import { openInlineWriter } from './inline-writer.ts'
import { planOf } from './plan.ts'
import { openReads } from './reads.ts'
import { grow } from './schema.ts'
import { createDraft } from './script.ts'
import { openSweep } from './sweep.ts'
import { openTable } from './table.ts'
import { openTallies } from './tally.ts'
import { openThreadWriter } from './thread-writer.ts'
import { openTotals } from './totals.ts'

type Needs = {
  file: string
  collections: readonly Collection[]
  clock: Clock
  /** Called when the writer has died; nothing can be written from then on. */
  onLost?: (reason: unknown) => void
}
/**
 * `sweep` removes at most `limit` expired rows and says how many; they count as absent before. `writable` is false after
 * a transaction that failed, until one succeeds.
 */
export type SqliteStore = Store & { sweep(limit: number): Promise<number>; readonly writable: boolean }

const open = ({ file, collections, clock, onLost }: Needs) => {
  const db = openDatabase(file)
  try {
    const plans = collections.map(planOf)
    grow(db, plans)
    const draft = createDraft()
    const hot = createHot()
    const tallies = openTallies(draft)
    const highWater = openHighWater(db, plans, draft)
    const tables = plans.map((plan) => openTable({ db, plan, clock, draft, hot, highWater }))
    const apply = applier(tablesByName(tables), tallies)
    const writer = file === ':memory:' ? openInlineWriter(db) : openThreadWriter(file, onLost)
    const group = groupCommit({
      writer,
      draft,
      hot,
      beforeSeal: [tallies.flush, highWater.flush],
      onDurable: [() => totals.forget()],
      onVoid: [tallies.forget, highWater.keepAgain, () => totals.forget()],
    })
    const totals = openTotals(db, () => group.isWriting)
    return {
      db,
      totals,
      tableOf: tablesByName(tables),
      apply,
      group,
      writer,
      expired: openSweep({ db, tables, clock }),
    }
  } catch (thrown) {
    db.close()
    throw asProblem(thrown)
  }
}

/** What an async function would do, without its cost in the hottest path: a throw becomes a rejection. */
const promised = <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return work()
  } catch (thrown) {
    return Promise.reject(thrown)
  }
}

/**
 * Storage in one SQLite file, or in memory for `:memory:`. Writes are decided on the calling thread and written by
 * another, so that nobody waits for a disk but those who asked for the write; reads see what is in the file. Rows expire
 * at the moment their `expires` field names, and are not to be changed by whoever is given one. Throws Problem
 * `unavailable` when the file cannot be opened, `storage_too_new` when a newer version wrote it.
 */
export const openSqliteStore = (needs: Needs): SqliteStore => {
  const { db, totals, tableOf, apply, group, writer, expired } = open(needs)
  const read = openReads(db, needs.clock)
  let closed: Promise<void> | undefined

  const whileOpen = <T>(work: () => T): T => {
    if (closed)
      throw new Problem('unavailable', 'storage_closed', 'Storage is closed: the service is stopping.')
    try {
      return work()
    } catch (thrown) {
      throw asProblem(thrown)
    }
  }

  const decide = (change: Change) => whileOpen(() => group.decide(() => apply(change)))

  const sweep = async (limit: number) => {
    const { outcome, durable } = group.decide(() => {
      const rows = expired(limit)
      for (const { table, key } of rows) table.purge(key)
      return rows.length
    })
    await durable
    return outcome
  }

  const close = async () => {
    await group.drained()
    try {
      await writer.close()
    } finally {
      db.close()
    }
  }

  // Rows are JSON that was checked where it was built: inside, every collection is one of `Fields`.
  const store = {
    get: async (of: Collection, key: Key, detail = false) => whileOpen(() => tableOf(of).get(key, detail)),
    page: async (of: Collection, query: Query<Fields>) => whileOpen(() => read.page(tableOf(of), query)),
    count: async (of: Collection, query: Query<Fields>) => whileOpen(() => read.count(tableOf(of), query)),
    commit: (head: Write<Fields>, followers: Change['followers'] = [], detail = false) =>
      promised(() => {
        const { outcome, durable } = decide({ head, followers, detail })
        return durable.then(() => outcome)
      }),
    decide: (head: Write<Fields>, followers: Change['followers'] = [], detail = false) =>
      promised(() => {
        const { outcome, durable } = decide({ head, followers, detail })
        return Promise.resolve({ applied: outcome.applied, row: outcome.row, durable })
      }),
    tallies: async (name: string, from = '') => whileOpen(() => totals.of(name, from)),
    sweep: async (limit: number) => whileOpen(() => sweep(limit)),
    get writable() {
      return group.writable
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }
  return store as unknown as SqliteStore
}
