import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import type { Store } from '../../lib/ports/store.ts'
import { openTables } from '../adapters/dynamodb/opened.ts'
import { startDatabase } from './database.ts'
import { createMemoryBlobs } from './memory-blobs.ts'

type Opened = { store: Store; close(): Promise<unknown> }

const openSqlite = async (collections: readonly Collection[], clock: Clock): Promise<Opened> => {
  const store = openSqliteStore({ file: ':memory:', collections, clock })
  return { store, close: () => store.close() }
}

const openDynamo = async (collections: readonly Collection[], clock: Clock): Promise<Opened> => {
  const { client, stop } = await startDatabase()
  const { store } = await openTables({ client, collections, clock, blobs: createMemoryBlobs() })
  const close = async () => {
    await store.close()
    await stop()
  }
  return { store, close }
}

/** Every storage that a domain keeps its rows in, with these collections. */
export const storesOf = (
  collections: readonly Collection[],
): [name: string, open: (clock: Clock) => Promise<Opened>][] => [
  ['SQLite', (clock) => openSqlite(collections, clock)],
  ['DynamoDB', (clock) => openDynamo(collections, clock)],
]
