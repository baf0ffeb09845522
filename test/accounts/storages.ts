import { createClock } from '../../lib/adapters/node/clock.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { Problem } from '../../lib/core/errors.ts'
import type { Store } from '../../lib/ports/store.ts'
import { openTables } from '../adapters/dynamodb/opened.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { startDatabase } from '../fakes/database.ts'
import { accountCollections as collections } from './world.ts'

/** `fresh` is empty storage, `again` the same as another process sees it. */
type Medium = { fresh(): Promise<{ store: Store; again(): Store }>; close(): Promise<unknown> }

const openSqlite = async (): Promise<Medium> => ({
  fresh: async () => {
    const store = openSqliteStore({ file: ':memory:', collections, clock: createFakeClock() })
    return { store, again: () => store }
  },
  close: async () => undefined,
})

/** Transactions that stand in each other's way wait for a moment, while the time of day stands still. */
const openDynamo = async (): Promise<Medium> => {
  const { client, stop } = await startDatabase()
  return {
    fresh: () =>
      openTables({ client, collections, clock: { ...createFakeClock(), after: createClock().after } }),
    close: stop,
  }
}

/** Every storage that accounts are kept in. */
export const storages: [name: string, open: () => Promise<Medium>][] = [
  ['SQLite', openSqlite],
  ['DynamoDB', openDynamo],
]

/**
 * Storage that is not available for a commit when `fails` says so: `before` the commit, or `after` it, when only its answer
 * is lost.
 */
export const faulty = (store: Store, fails: () => 'before' | 'after' | undefined): Store => {
  const commit: Store['commit'] = async (...change) => {
    const failure = fails()
    if (failure !== 'before') {
      const outcome = await store.commit(...change)
      if (failure === undefined) return outcome
    }
    throw new Problem('unavailable', 'storage_unavailable', 'not now')
  }
  return Object.assign(Object.create(store), { commit })
}
