import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Collection, Increment } from '../../../core/collection.ts'
import { Problem } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { AnyWrite, Key, LogRange, Query, Store, Write } from '../../../ports/store.ts'
import { createBlobOffload, type Texts } from './blob-offload.ts'
import { createCommit } from './commit.ts'
import { connect } from './connection.ts'
import { createCounters } from './counters.ts'
import { type Fields, visibleRow } from './item.ts'
import { createLogs } from './log.ts'
import { createPages } from './pages.ts'
import { COUNTERS, createPlans, type Plan, type TableName } from './plan.ts'
import { createRows } from './rows.ts'

type Needs = {
  /** Its settings define retries (`maxAttempts`) and time limits. */
  client: DynamoDBClient
  collections: readonly Collection[]
  clock: Clock
  /** At least 0 and less than 1. */
  random: () => number
  tableName: TableName
  /** The storage of detail with more than `mostInside` bytes (32,000 by default); without it a row has at most 400 kB. */
  blobs?: Texts
  mostInside?: number
  /** With `blobs`: the bytes that an index copies of a new row before its longest fields are offloaded. */
  mostCopied?: number
  /** Called when a row is read whose blobs are gone; once for each blob. */
  onLost?: (lost: { collection: string; fields: string[]; blobs: string[] }) => void
  /** The time limit of a search, 20,000 by default; then it is refused. */
  mostMs?: number
}

const TOKEN_BITS = 2 ** 52

/** Texts that no other process makes: a random beginning, and a growing number. */
const createTokens = (random: () => number) => {
  const process = Math.floor(random() * TOKEN_BITS).toString(36)
  let last = 0
  return () => `${process}${(last++).toString(36)}`
}

/** The most lost blobs that are known as reported. */
const MOST_REPORTED = 1_000

/** Reports each lost blob once: every list reads it again. */
const createLostOnce = (onLost: NonNullable<Needs['onLost']>) => {
  const reported = new Set<string>()
  return (collection: string, missing: readonly (readonly [field: string, pointer: string])[]): void => {
    const unreported = missing.filter(([, pointer]) => !reported.has(pointer))
    if (unreported.length === 0) return
    if (reported.size > MOST_REPORTED) reported.clear()
    for (const [, pointer] of unreported) reported.add(pointer)
    onLost({
      collection,
      fields: unreported.map(([field]) => field),
      blobs: unreported.map(([, pointer]) => pointer),
    })
  }
}

/**
 * Storage in DynamoDB, with one table per collection and one for the counters, by `tableDefinitions`. Reads by key, of
 * logs, and in the order of a table's keys see every answered write. Differences by nature: secondary indexes lag by
 * moments, so a page or a count over one may miss the latest writes; counters follow when the change consumer has read
 * the stream.
 */
export const createDynamoStore = (needs: Needs): Store => {
  const { client, collections, clock, random, tableName, onLost, mostMs } = needs
  const findPlan = createPlans(collections, tableName)
  const newToken = createTokens(random)
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
  const connection = connect(client, wait)
  const blobs = createBlobOffload({ ...needs, newToken, onLost: onLost && createLostOnce(onLost) })
  const logs = createLogs({ connection, findPlan, now: clock.now, newToken })
  const rows = createRows({ connection, blobs, logs, clock, newToken })
  const counters = createCounters({ connection, table: tableName({ name: COUNTERS }) })
  const commit = createCommit({ connection, findPlan, rows, blobs, logs })
  const pages = createPages({ connection, rows, blobs, clock, mostMs })
  const underWay = new Set<Promise<unknown>>()
  let closed = false

  const whileOpen = <T>(work: () => Promise<T>): Promise<T> => {
    if (closed)
      throw new Problem('unavailable', 'storage_closed', 'Storage is closed: the service is stopping.')
    const run = work()
    underWay.add(run)
    const leave = () => void underWay.delete(run)
    run.then(leave, leave)
    return run
  }

  const get = async (plan: Plan, key: Key, detail: boolean) => {
    const row = await blobs.readComplete(plan, () => rows.read(plan, key), detail)
    return row && visibleRow(plan, row, detail)
  }

  // Rows are JSON that was checked where it was built: inside, every collection is one of `Fields`.
  const store = {
    get: async (of: Collection, key: Key, detail = false) => whileOpen(() => get(findPlan(of), key, detail)),
    page: async (of: Collection, query: Query<Fields>) => whileOpen(() => pages.page(findPlan(of), query)),
    count: async (of: Collection, query: Query<Fields>) => whileOpen(() => pages.count(findPlan(of), query)),
    commit: async (head: Write<Fields>, others?: readonly AnyWrite[], detail?: boolean) =>
      whileOpen(() => commit(head, others, detail)),
    log: async (of: Collection, key: string, range?: LogRange) =>
      whileOpen(() => logs.read(findPlan(of), key, range)),
    counters: async (counter: string, from = '') => whileOpen(() => counters.read(counter, from)),
    adjust: async (increments: readonly Increment[]) => whileOpen(() => counters.adjust(increments)),
    close: async () => {
      closed = true
      await Promise.allSettled(underWay)
    },
  }
  return store as unknown as Store
}
