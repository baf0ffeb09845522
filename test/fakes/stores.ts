import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection, Message } from '../../lib/core/collection.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import type { Store } from '../../lib/ports/store.ts'
import { hasDynoxide, startDynoxide } from '../../offline/emulators.ts'
import { openFollowed, openTables } from '../adapters/dynamodb/opened.ts'
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

type Followed = Opened & {
  /** The messages that commits have caused, in the order of their delivery. */
  delivered: readonly Message[]
  /** Resolves when all that follows from what was committed is done. */
  drained(): Promise<void>
}

const followSqlite = async (collections: readonly Collection[], clock: Clock): Promise<Followed> => {
  const delivered: Message[] = []
  const deliver = async (messages: readonly Message[]) => void delivered.push(...messages)
  const store = openSqliteStore({ file: ':memory:', collections, clock, deliver })
  store.start()
  return { store, delivered, drained: store.drained, close: store.close }
}

const followDynamo = async (collections: readonly Collection[], clock: Clock): Promise<Followed> => {
  const { endpoint, stop } = await startDynoxide()
  const delivered: Message[] = []
  const deliver = async (messages: readonly Message[]) => void delivered.push(...messages)
  const { store, drained, close } = await openFollowed({ endpoint, collections, clock, deliver })
  return { store, delivered, drained, close: () => close().finally(stop) }
}

/**
 * As `storesOf`, with what their collections declare by `counts` and `sends` done. DynamoDB is one of them where its emulator
 * has streams.
 */
export const followedStoresOf = (
  collections: readonly Collection[],
): [name: string, open: (clock: Clock) => Promise<Followed>][] => [
  ['SQLite', (clock) => followSqlite(collections, clock)],
  ...(hasDynoxide()
    ? [['DynamoDB', (clock: Clock) => followDynamo(collections, clock)] satisfies [string, unknown]]
    : []),
]
