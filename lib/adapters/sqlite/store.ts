/*
 * The way of a commit through this folder:
 * 1. open: `data-file.ts` opens the file (`database.ts`) after `lock.ts` and `check-log.ts`, marks it as open in its own
 *    record (`file-record.ts`), and lets `schema.ts` create the tables that `plan.ts` derives from the collections.
 * 2. decide: `group-commit.ts` begins a transaction for the commits of one turn; in it `commit.ts` asks `table.ts`.
 * 3. write: the decisions write their rows (`stored-rows.ts`).
 * 4. follow: `commit.ts` adds what the collection declares: log entries, `counters.ts`, `outbox.ts`, live events.
 * 5. sync: after COMMIT, `data-file.ts` syncs the log in the thread pool and moves readers on; at times it checkpoints.
 * 6. deliver: callers get their outcomes, `outbox.ts` delivers messages, and live events are published.
 * 7. index: rows that can be searched were marked by `search-index.ts`; `indexing.ts` indexes them in later batches.
 * Reads of one row (`stored-rows.ts`) and of many (`query.ts`) see what is synced. `backup.ts` copies a file in use.
 */
import { type Collection, type Increment, unknownCollection } from '../../core/collection.ts'
import { errorMessage, Problem } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LivePublisher } from '../../ports/live.ts'
import type { Log } from '../../ports/log.ts'
import type { AnyWrite, Key, LogRange, Query, Store, Write } from '../../ports/store.ts'
import { createCommits } from './commit.ts'
import { openCounters } from './counters.ts'
import { type DataFile, openDataFile, openMemory, type SyncFile } from './data-file.ts'
import { asProblem } from './database.ts'
import { createGroupCommit } from './group-commit.ts'
import { createIndexing } from './indexing.ts'
import { type Deliver, openOutbox } from './outbox.ts'
import { type Fields, type Plan, planTable } from './plan.ts'
import { openQueries } from './query.ts'
import { createParsedRows, openRowReader, type RowReader } from './stored-rows.ts'
import { openTable } from './table.ts'

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
  /** Logs collections whose expired rows cannot be removed, and failed checkpoints. */
  log?: Pick<Log, 'error'>
  /** Called when the log could not be synced: the process must end. Without it an uncaught error ends it. */
  onLost?: (reason: unknown) => void
  /** A disk that fails or is slow, for tests; `fdatasync` without it. */
  syncFile?: SyncFile
}

export type SqliteStore = Store & {
  /**
   * Starts deliveries, when the receivers are ready: messages that earlier processes left in the outbox are delivered
   * now. A receiver of `rebuilt` messages rebuilds them first: messages of later commits are delivered.
   */
  start(): void
  /**
   * Removes up to `limit` expired rows, which count as absent before, and expired members of counters; resolves to their
   * number. Failures are logged.
   */
  sweep(limit: number): Promise<number>
  /** After a failed transaction, writes one that changes no row; throws Problem `unavailable` when that fails too. */
  probe(): Promise<void>
}

/** What a collection has, by its name; throws Error for an unknown one. */
const byCollection = <T extends { plan: { name: string } }>(all: readonly T[]) => {
  const byName = new Map(all.map((one) => [one.plan.name, one]))
  return ({ name }: { name: string }): T => {
    const one = byName.get(name)
    if (one === undefined) throw unknownCollection(name)
    return one
  }
}

/** The index for reading the log of a collection's rows: the one in the order of the entries' ids. */
const findLogIndex = ({ name, log }: Collection, findReader: (of: { name: string }) => RowReader) => {
  if (log === undefined) return undefined
  const reader = findReader(log)
  const { plan } = reader
  for (const [index, { within, by }] of plan.indexes)
    if (within !== undefined && within === plan.within && by === plan.key) return { reader, index, within }
  throw new Error(
    `${log.name} cannot be the log of ${name}: it has no index of one row's entries by their key`,
  )
}

/** Effectively no limit. */
const ALL = 1_000_000_000

/**
 * Storage in one SQLite file, or in memory for `:memory:`. Reads see the state that is durable. Counters and messages are
 * written in the transaction of the rows that cause them. Rows expire at the time in their `expires` field; callers must
 * not change rows after they gave them to `commit`. The log of a removed row is removed by the same commit. Throws Problem `unavailable` when the file cannot be opened, `storage_too_new` when a newer
 * version wrote it, and `storage_busy` when another program reads it so long that it cannot be marked as open.
 */
export const openSqliteStore = (needs: Needs): SqliteStore => {
  const { file, collections } = needs
  const plans = collections.map(planTable)
  const dataFile = file === ':memory:' ? openMemory(plans) : openDataFile(file, plans, needs)
  try {
    return openParts(needs, plans, dataFile)
  } catch (thrown) {
    dataFile.close()
    throw asProblem(thrown)
  }
}

const openParts = (
  { collections, clock, deliver, publisher, log: logger }: Needs,
  plans: readonly Plan[],
  dataFile: DataFile,
) => {
  const { db, reader, count } = dataFile
  const parseRow = createParsedRows()
  const countWritten = (characters: number) => group.countWritten(characters)
  const findTable = byCollection(plans.map((plan) => openTable({ db, plan, clock, countWritten })))
  const readers = plans.map((plan) => openRowReader(reader, plan, clock, parseRow))
  const findReader = byCollection(readers)
  const logIndexes = new Map(collections.map((of) => [of.name, findLogIndex(of, findReader)]))
  const queries = openQueries(reader, clock, parseRow)
  const writeSoon = () => group.commit(() => undefined).catch(() => undefined)
  const counters = openCounters(db, reader)
  const outbox = openOutbox({ db, reader, clock, deliver, countWritten, writeSoon })
  const commits = createCommits({ findTable, counters, outbox, publisher })
  const indexing = createIndexing({ db, plans, clock, commit: (work) => group.commit(work) })
  const participants = [counters, count, outbox, commits, indexing]
  const group = createGroupCommit({ ...dataFile, participants })
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
    const logIndex = logIndexes.get(of.name)
    if (logIndex === undefined) throw new TypeError(`${of.name} declares no log`)
    const { reader, index, within } = logIndex
    if (findReader(of).get(key, false) === undefined) return []
    const isNewest = 'newest' in range
    const { after, limit = ALL } = isNewest ? { limit: range.newest } : range
    if (after !== undefined && reader.get([key, after], false) === undefined) return []
    const position = after === undefined ? {} : { after: { by: after, key: after } }
    const order = isNewest ? 'desc' : 'asc'
    const { rows } = queries.page(reader, { index, is: key, order, limit, ...position })
    return rows.map(({ [within]: _, ...entry }) => entry)
  }

  const adjust = (moves: readonly Increment[]) =>
    group.commit(() => {
      for (const move of moves) counters.add(move)
    })

  /** Each row is its own commit: a row whose counters cannot be changed stays, and does not stop the others. */
  const expireRows = async ({ plan, expiredKeys }: RowReader, limit: number): Promise<number> => {
    const table = findTable(plan)
    const outcomes = await Promise.allSettled(
      expiredKeys(limit).map((key) => group.commit(() => commits.expire(table, key))),
    )
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
    if (failures.length > 0)
      logger?.error(
        { collection: plan.name, rows: failures.length, reason: errorMessage(failures[0]?.reason) },
        'expired rows could not be removed',
      )
    return outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length
  }

  const sweep = async (limit: number) => {
    let removed = 0
    for (const reader of readers) removed += await expireRows(reader, limit - removed)
    const members = counters.expired(clock.now(), limit - removed)
    await group.commit(() => {
      for (const { counter, member } of members) counters.remove(counter, member)
    })
    return removed + members.length
  }

  const close = async () => {
    indexing.stop()
    const delivered = outbox.stop()
    await group.drained()
    await delivered
    if (outbox.hasToRemove) await writeSoon()
    await group.drained()
    if (!group.isLost) dataFile.close()
  }

  // Rows are JSON that was checked where it was built: inside, every collection is one of `Fields`.
  const store = {
    get: async (of: Collection, key: Key, detail = false) => whileOpen(() => findReader(of).get(key, detail)),
    page: async (of: Collection, query: Query<Fields>) =>
      whileOpen(() => queries.page(findReader(of), query)),
    count: async (of: Collection, query: Query<Fields>) =>
      whileOpen(() => queries.count(findReader(of).plan, query)),
    commit: async (head: Write<Fields>, rows: readonly AnyWrite[] = [], detail = false) =>
      whileOpen(() => group.commit(() => commits.commit(head, rows, detail))),
    log: async (of: Collection, key: string, range: LogRange = {}) => whileOpen(() => log(of, key, range)),
    counters: async (counter: string, from = '') => whileOpen(() => counters.of(counter, from)),
    adjust: async (moves: readonly Increment[]) => whileOpen(() => adjust(moves)),
    start: () =>
      whileOpen(() => {
        outbox.start()
        indexing.start()
      }),
    sweep: async (limit: number) => whileOpen(() => sweep(limit)),
    probe: async () => whileOpen(() => (group.isWritable ? undefined : group.commit(() => undefined))),
    close: () => {
      closed ??= close()
      return closed
    },
  }
  return store as unknown as SqliteStore
}
