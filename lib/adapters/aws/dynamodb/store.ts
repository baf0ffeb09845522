import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Collection } from '../../../core/collection.ts'
import { Problem } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Followers, Key, Query, Store, Write } from '../../../ports/store.ts'
import { createAside, type Texts } from './aside.ts'
import { createCommit } from './commit.ts'
import { connect } from './connection.ts'
import { createPages } from './pages.ts'
import { type Plan, planOf, TALLIES, type TableName } from './plan.ts'
import { shown } from './row.ts'
import { createRows } from './rows.ts'
import { createTallies } from './tallies.ts'
import { createTransact } from './transact.ts'
import type { Fields } from './value.ts'

type Needs = {
  /** Its own settings decide about retries (`maxAttempts`) and time limits. */
  client: DynamoDBClient
  collections: readonly Collection[]
  clock: Clock
  /** At least 0 and less than 1. */
  random: () => number
  tableName: TableName
  /** Where detail of more than `mostInside` bytes lies, 32,000 by default; without, a row has at most 400 kB. */
  blobs?: Texts
  mostInside?: number
  /** With `blobs`: how many bytes an index takes of a new row whose longest fields lie there too, 800 by default. */
  mostCopied?: number
  /** How long a search may read, 20,000 by default; then it is refused. */
  mostMs?: number
}

const TOKEN_BITS = 2 ** 52

/** Texts that no other process makes: a random beginning, and a number that grows. */
const createTokens = (random: () => number) => {
  const process = Math.floor(random() * TOKEN_BITS).toString(36)
  let last = 0
  return () => `${process}${(last++).toString(36)}`
}

const plansByName = (collections: readonly Collection[], tableName: TableName) => {
  const plans = new Map(collections.map((one) => [one.name, planOf(one, tableName)]))
  return ({ name }: { name: string }): Plan => {
    const plan = plans.get(name)
    if (plan === undefined)
      throw new Error(`The collection ${name} was not declared when the store was opened`)
    return plan
  }
}

const open = ({
  client,
  collections,
  clock,
  random,
  tableName,
  blobs,
  mostInside,
  mostCopied,
  mostMs,
}: Needs) => {
  const planOf = plansByName(collections, tableName)
  const newToken = createTokens(random)
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
  const connection = connect(client, wait)
  const aside = createAside({ blobs, mostInside, mostCopied, newToken })
  const rows = createRows({ connection, aside, clock, newToken })
  const tallies = createTallies({ connection, table: tableName({ name: TALLIES }), random, newToken })
  const transact = createTransact({ connection, rows, aside })
  return {
    planOf,
    rows,
    aside,
    tallies,
    commit: createCommit({ planOf, rows, aside, tallies, transact }),
    pages: createPages({ connection, rows, aside, clock, mostMs }),
  }
}

/**
 * Storage in DynamoDB, one table per collection and one for the tallies, as `tableDefinitions` describes them. Reads by
 * key, of tallies and of what lies in the order of its keys see every write that was answered. What it lacks by nature:
 * secondary indexes lag behind by moments, so a page or a count over one may miss the latest writes; a death between a
 * head and its events or totals leaves those out, until they are reconciled.
 */
export const createDynamoStore = (needs: Needs): Store => {
  const { planOf, rows, aside, tallies, commit, pages } = open(needs)
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
    const row = await aside.whole(plan, () => rows.read(plan, key), detail)
    return row && shown(plan, row, detail)
  }

  // Rows are JSON that was checked where it was built: inside, every collection is one of `Fields`.
  const store = {
    get: async (of: Collection, key: Key, detail = false) => whileOpen(() => get(planOf(of), key, detail)),
    page: async (of: Collection, query: Query<Fields>) => whileOpen(() => pages.page(planOf(of), query)),
    count: async (of: Collection, query: Query<Fields>) => whileOpen(() => pages.count(planOf(of), query)),
    commit: async (head: Write<Fields>, followers?: Followers<Fields>, detail?: boolean) =>
      whileOpen(() => commit(head, followers, detail)),
    decide: async (head: Write<Fields>, followers?: Followers<Fields>, detail?: boolean) => ({
      ...(await whileOpen(() => commit(head, followers, detail))),
      durable: Promise.resolve(),
    }),
    tallies: async (group: string, from = '') => whileOpen(() => tallies.totals(group, from)),
    close: async () => {
      closed = true
      await Promise.allSettled(underWay)
    },
  }
  return store as unknown as Store
}
