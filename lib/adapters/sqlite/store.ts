import { type Collection, type Increment, unknownCollection } from '../../core/collection.ts'
import { errorMessage, Problem } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LivePublisher } from '../../ports/live.ts'
import type { Log } from '../../ports/log.ts'
import type { AnyWrite, Key, LogRange, Query, Store, Write } from '../../ports/store.ts'
import { createCommits, openPublications } from './commit.ts'
import { countedIn, recordCommits } from './commit-count.ts'
import { openCounters, openIncrements } from './counters.ts'
import { asProblem, openDatabase } from './database.ts'
import { groupCommit } from './group-commit.ts'
import { openHighWater } from './high-water.ts'
import { isMarkedOpen, markOpen, readHeader } from './open-mark.ts'
import { type Deliver, openOutbox } from './outbox.ts'
import { type Fields, planOf } from './plan.ts'
import { openReads } from './query.ts'
import { createRowCache } from './row-cache.ts'
import { grow } from './schema.ts'
import { openTable, type Table } from './table.ts'
import { createBatchBuilder } from './write-batch.ts'
import { openInlineWriter, openThreadWriter } from './writer.ts'

type Needs = {
  file: string
  collections: readonly Collection[]
  clock: Clock
  /**
   * Delivers the messages of commits, from `start` on. When it rejects, all messages of the call are delivered again
   * later. Without it they stay in the file until a store with it is opened.
   */
  deliver?: Deliver
  /** Receives the live events of commits, after them. */
  publisher?: LivePublisher
  /** Logs collections whose expired rows cannot be removed. */
  log?: Pick<Log, 'error'>
  /** Called when the writer has died; nothing can be written from then on. */
  onLost?: (reason: unknown) => void
}

export type SqliteStore = Store & {
  /**
   * Starts deliveries, when the receivers are ready: messages that earlier processes left in the outbox are delivered
   * now. A receiver of `rebuilt` messages rebuilds them first: messages of later commits are delivered.
   */
  start(): void
  /**
   * Resolves when nothing waits to be written or, after `start`, to be delivered, and rows of delivered messages are
   * removed.
   */
  drained(): Promise<void>
  /**
   * Removes up to `limit` expired rows, which count as absent before, and expired members of counters; resolves to their
   * number. Failures are logged.
   */
  sweep(limit: number): Promise<number>
  /** After a failed transaction, writes one that changes no row; throws Problem `unavailable` when that fails too. */
  probe(): Promise<void>
}

/** The table of a collection; throws Error for an unknown one. */
const tablesByName = (tables: readonly Table[]) => {
  const byName = new Map(tables.map((table) => [table.plan.name, table]))
  return ({ name }: { name: string }): Table => {
    const table = byName.get(name)
    if (table === undefined) throw unknownCollection(name)
    return table
  }
}

const open = ({ file, collections, clock, deliver, publisher, onLost }: Needs) => {
  const inMemory = file === ':memory:'
  const header = inMemory ? undefined : readHeader(file)
  const db = openDatabase(file)
  try {
    const plans = collections.map(planOf)
    grow(db, plans)
    const batch = createBatchBuilder()
    const rowCache = createRowCache()
    const increments = openIncrements(batch)
    const highWater = openHighWater(db, plans, batch)
    const tables = plans.map((plan) => openTable({ db, plan, clock, batch, rowCache, highWater }))
    const tableOf = tablesByName(tables)
    const logIndexes = new Map(collections.map((of) => [of.name, logIndexOf(of, tableOf)]))
    // From here on a file without its log is known to have lost it.
    if (!inMemory) recordCommits(file, countedIn(db).commits)
    if (!inMemory && !isMarkedOpen(db, header)) markOpen(db)
    const writer = inMemory ? openInlineWriter(db) : openThreadWriter(file, onLost)
    const writeSoon = () => group.decide(() => undefined).committed.catch(() => undefined)
    const outbox = openOutbox({ db, batch, clock, deliver, writeSoon })
    const counters = openCounters(db, () => group.isWriting)
    const publications = openPublications(publisher)
    const participants = [increments, highWater, counters, outbox, publications]
    const group = groupCommit({ writer, batch, rowCache, participants })
    const commits = createCommits({ tableOf, increments, outbox, publications, rowCache })
    return {
      db,
      tables,
      tableOf,
      logIndexes,
      writer,
      writeSoon,
      outbox,
      counters,
      increments,
      group,
      commits,
    }
  } catch (thrown) {
    db.close()
    throw asProblem(thrown)
  }
}

/** The index for reading the log of a collection's rows: the one in the order of the entries' ids. */
const logIndexOf = ({ name, log }: Collection, tableOf: (of: { name: string }) => Table) => {
  if (log === undefined) return undefined
  const { plan } = tableOf(log)
  for (const [index, { within, by }] of plan.indexes)
    if (within !== undefined && within === plan.within && by === plan.key)
      return { table: tableOf(log), index, within }
  throw new Error(
    `${log.name} cannot be the log of ${name}: it has no index of one row's entries by their key`,
  )
}

/** The exception of a call, if there is one. */
const thrownBy = (call: () => void): unknown[] => {
  try {
    call()
    return []
  } catch (thrown) {
    return [thrown]
  }
}

/** Effectively no limit. */
const ALL = 1_000_000_000

/**
 * Storage in one SQLite file, or in memory for `:memory:`. Commits are decided on the calling thread and written by
 * another one, so that only their callers wait for the disk; reads see the state of the file. Counters and messages are
 * written in the transaction of the rows that cause them. Rows expire at the time in their `expires` field; callers must
 * not change rows that they read. The log of a removed row is removed by the same commit. Throws Problem `unavailable`
 * when the file cannot be opened, `storage_too_new` when a newer version wrote it, and `storage_busy` when another
 * program reads it so long that it cannot be marked as open.
 */
export const openSqliteStore = (needs: Needs): SqliteStore => {
  const { db, tables, tableOf, logIndexes, writer, writeSoon, outbox, counters, increments, group, commits } =
    open(needs)
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

  const log = (of: Collection, key: string, range: LogRange) => {
    const found = logIndexes.get(of.name)
    if (found === undefined) throw new TypeError(`${of.name} declares no log`)
    const { table, index, within } = found
    if (tableOf(of).get(key, false) === undefined) return []
    const isNewest = 'newest' in range
    const { after, limit = ALL } = isNewest ? { limit: range.newest } : range
    if (after !== undefined && table.get([key, after], false) === undefined) return []
    const position = after === undefined ? {} : { after: { by: after, key: after } }
    const { rows } = read.page(table, {
      index,
      is: key,
      order: isNewest ? 'desc' : 'asc',
      limit,
      ...position,
    })
    return rows.map(({ [within]: _, ...entry }) => entry)
  }

  const adjust = async (moves: readonly Increment[]) => {
    const { committed } = group.decide(() => {
      for (const one of moves.map(increments.check)) increments.add(one)
    })
    await committed
  }

  /** Each row is its own commit: a row whose counters cannot be changed stays, and does not stop the others. */
  const sweep = async (limit: number) => {
    const removed: Promise<void>[] = []
    const expire = (table: Table, key: Key) => {
      const { outcome, committed } = group.decide(() => commits.expire(table, key))
      if (outcome) removed.push(committed)
    }
    for (const table of tables) {
      const failed = table
        .expiredKeys(limit - removed.length)
        .flatMap((key) => thrownBy(() => expire(table, key)))
      if (failed.length > 0)
        needs.log?.error(
          { collection: table.plan.name, rows: failed.length, reason: errorMessage(failed[0]) },
          'expired rows could not be removed',
        )
    }
    const members = counters.expired(needs.clock.now(), limit - removed.length)
    const { committed } = group.decide(() => {
      for (const { counter, member } of members) increments.remove(counter, member)
    })
    await Promise.all([...removed, committed])
    return removed.length + members.length
  }

  const drained = async () => {
    do {
      if (outbox.hasToRemove) void writeSoon()
      await group.drained()
      await outbox.settled()
    } while (group.isBusy || !outbox.isSettled || outbox.hasToRemove)
  }

  const close = async () => {
    const delivered = outbox.stop()
    await group.drained()
    await delivered
    if (outbox.hasToRemove) await writeSoon()
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
    commit: async (head: Write<Fields>, rows: readonly AnyWrite[] = [], detail = false) => {
      const { outcome, committed } = whileOpen(() => group.decide(() => commits.commit(head, rows, detail)))
      await committed
      return outcome
    },
    log: async (of: Collection, key: string, range: LogRange = {}) => whileOpen(() => log(of, key, range)),
    counters: async (counter: string, from = '') => whileOpen(() => counters.of(counter, from)),
    adjust: async (moves: readonly Increment[]) => whileOpen(() => adjust(moves)),
    start: () => whileOpen(outbox.start),
    drained,
    sweep: async (limit: number) => whileOpen(() => sweep(limit)),
    probe: async () =>
      whileOpen(() => (group.writable ? undefined : group.decide(() => undefined).committed)),
    close: () => {
      closed ??= close()
      return closed
    },
  }
  return store as unknown as SqliteStore
}
