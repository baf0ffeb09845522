import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection, Message } from '../../lib/core/collection.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import type { Store } from '../../lib/ports/store.ts'
import { hasDynoxide, startDynoxide } from '../../offline/emulators.ts'
import { openFollowed, openTables } from '../adapters/dynamodb/opened.ts'
import { startDatabase } from './database.ts'
import { createMemoryBlobs } from './memory-blobs.ts'
import { createReceiver } from './settled-store.ts'

/** Collections of any rows: a storage adapter treats all alike. */
type Named = readonly { readonly name: string }[]
const asCollections = (named: Named) => named as unknown as readonly Collection[]

type Opened = { store: Store; close(): Promise<unknown> }

/** Every storage that a domain keeps its rows in, with these collections. */
export const storeOpeners = (named: Named): [name: string, open: (clock: Clock) => Promise<Opened>][] => {
  const collections = asCollections(named)
  const openSqlite = async (clock: Clock) => {
    const store = openSqliteStore({ file: ':memory:', collections, clock })
    return { store, close: store.close }
  }
  const openDynamo = async (clock: Clock) => {
    const { client, stop } = await startDatabase()
    const { store } = await openTables({ client, collections, clock, blobs: createMemoryBlobs() })
    return { store, close: () => store.close().finally(stop) }
  }
  return [
    ['SQLite', openSqlite],
    ['DynamoDB', openDynamo],
  ]
}

type Followed = Opened & {
  /** The messages that commits have caused, in the order of their delivery. */
  delivered: readonly Message[]
  /** Resolves when all that follows from what was committed is done. */
  drained(): Promise<void>
}

/**
 * As `storeOpeners`, with what their collections declare by `counts` and `sends` done. DynamoDB is one of them where its emulator
 * has streams.
 */
export const followedStoreOpeners = (
  named: Named,
): [name: string, open: (clock: Clock) => Promise<Followed>][] => {
  const collections = asCollections(named)
  const received = () => {
    const delivered: Message[] = []
    return { delivered, deliver: async (messages: readonly Message[]) => void delivered.push(...messages) }
  }
  const openSqlite = async (clock: Clock) => {
    const { delivered, ...receiver } = received()
    const { deliver, settled } = createReceiver(receiver.deliver)
    const store = openSqliteStore({ file: ':memory:', collections, clock, deliver })
    store.start()
    return { store, delivered, drained: () => settled(store), close: store.close }
  }
  const openDynamo = async (clock: Clock) => {
    const { endpoint, stop } = await startDynoxide()
    const { delivered, deliver } = received()
    const { store, drained, close } = await openFollowed({ endpoint, collections, clock, deliver })
    return { store, delivered, drained, close: () => close().finally(stop) }
  }
  const stores: ReturnType<typeof followedStoreOpeners> = [['SQLite', openSqlite]]
  return hasDynoxide() ? [...stores, ['DynamoDB', openDynamo]] : stores
}
