import { type Collection, type Increment, unknownCollection } from '../../core/collection.ts'
import { messageOf, Problem } from '../../core/errors.ts'
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
   * Takes the messages that commits cause, from `start` on. Where it rejects, all of the call are delivered again later.
   * Without it they stay in the file until a store with it is opened.
   */
  deliver?: Deliver
  /** Is given what commits publish, after them. */
  publisher?: LivePublisher
  /** Logs the collections whose expired rows cannot be removed. */
  log?: Pick<Log, 'error'>
  /** Called when the writer has died; nothing can be written from then on. */
  onLost?: (reason: unknown) => void
}

export type SqliteStore = Store & {
  /**
   * Says that the receivers of messages are ready. Nothing is delivered before; what earlier processes left in the outbox is
   * delivered now. A receiver of `rebuilt` messages rebuilds them first: those of commits after that are delivered.
   */
  start(): void
  /** Resolves when nothing waits to be written or, after `start`, to be delivered, and delivered messages have no rows. */
  drained(): Promise<void>
  /**
   * Removes at most `limit` expired rows, which count as absent before, and members of counters, and says how many. What cannot
   * be removed is logged.
   */
  sweep(limit: number): Promise<number>
  /** After a transaction that failed, writes one that changes no row; throws Problem `unavailable` when that fails too. */
  probe(): Promise<void>
}

/** The table of a collection; throws Error for one that the store was not opened with. */
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
    grow(db, plans, clock.now())
    const batch = createBatchBuilder()
    const rowCache = createRowCache()
    const increments = openIncrements(batch)
    const highWater = openHighWater(db, plans, batch)
    const tables = plans.map((plan) => openTable({ db, plan, clock, batch, rowCache, highWater }))
    const tableOf = tablesByName(tables)
    const logIndexes = new Map(collections.map((of) => [of.name, logIndexOf(of, tableOf)]))
    // From here on a file without its log is one that lost it.
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

/** By which index the log of a collection's rows is read: the one in the order of the entries' ids. */
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

/** What an async function would do, without its cost in the hottest path: a throw becomes a rejection. */
const promised = <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return work()
  } catch (thrown) {
    return Promise.reject(thrown)
  }
}

/** What a call throws, if it does. */
const thrownBy = (call: () => void): unknown[] => {
  try {
    call()
    return []
  } catch (thrown) {
    return [thrown]
  }
}

/** As good as no limit. */
const ALL = 1_000_000_000

/**
 * Storage in one SQLite file, or in memory for `:memory:`. Commits are decided on the calling thread and written by
 * another, so that only those wait for a disk who asked for the write; reads see what is in the file. Counters and
 * messages are written in the transaction of the rows that cause them. Rows expire at the moment their `expires` field
 * names; a row that was read is not to be changed. The log of a row that is removed goes in the same commit.
 * Throws Problem `unavailable` when the file cannot be opened, `storage_too_new` when a newer version wrote it,
 * `storage_busy` when another program reads it while it is to be marked as open.
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

  const log = (of: Collection, key: string, { after, limit = ALL }: LogRange) => {
    const found = logIndexes.get(of.name)
    if (found === undefined) throw new TypeError(`${of.name} declares no log`)
    const { table, index, within } = found
    if (tableOf(of).get(key, false) === undefined) return []
    if (after !== undefined && table.get([key, after], false) === undefined) return []
    const position = after === undefined ? {} : { after: { by: after, key: after } }
    const { rows } = read.page(table, { index, is: key, order: 'asc', limit, ...position })
    return rows.map(({ [within]: _, ...entry }) => entry)
  }

  const adjust = async (moves: readonly Increment[]) => {
    const { committed } = group.decide(() => {
      for (const one of moves.map(increments.check)) increments.add(one)
    })
    await committed
  }

  /** Each row is a commit of its own: one whose counters cannot be moved stays, and stops no other. */
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
          { collection: table.plan.name, rows: failed.length, reason: messageOf(failed[0]) },
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
    commit: (head: Write<Fields>, rows: readonly AnyWrite[] = [], detail = false) =>
      promised(() => {
        const { outcome, committed } = whileOpen(() => group.decide(() => commits.commit(head, rows, detail)))
        return committed.then(() => outcome)
      }),
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
