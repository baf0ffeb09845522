import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { allowedTools, approvalSlots, approvals } from '../../lib/approvals/rows.ts'
import type { Collection } from '../../lib/core/collection.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import type { Store } from '../../lib/ports/store.ts'
import { openTables } from '../adapters/dynamodb/opened.ts'
import { startDatabase } from '../fakes/database.ts'

const collections = [approvals, approvalSlots, allowedTools] as unknown as readonly Collection[]

type Opened = { store: Store; close(): Promise<unknown> }

const openSqlite = async (clock: Clock): Promise<Opened> => {
  const store = openSqliteStore({ file: ':memory:', collections, clock })
  return { store, close: () => store.close() }
}

const openDynamo = async (clock: Clock): Promise<Opened> => {
  const { client, stop } = await startDatabase()
  const { store } = await openTables({ client, collections, clock })
  const close = async () => {
    await store.close()
    await stop()
  }
  return { store, close }
}

/** Every storage that approvals are kept in. */
export const stores: [name: string, open: (clock: Clock) => Promise<Opened>][] = [
  ['SQLite', openSqlite],
  ['DynamoDB', openDynamo],
]
