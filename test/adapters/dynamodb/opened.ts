import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { openDynamoDb } from '../../../lib/adapters/aws/clients.ts'
import { createChangeConsumer } from '../../../lib/adapters/aws/dynamodb/change-consumer.ts'
import { createDynamoStore } from '../../../lib/adapters/aws/dynamodb/store.ts'
import { createTables, tableDefinitions } from '../../../lib/adapters/aws/dynamodb/tables.ts'
import type { Collection, Message } from '../../../lib/core/collection.ts'
import type { Blobs } from '../../../lib/ports/blobs.ts'
import type { Clock } from '../../../lib/ports/clock.ts'
import { CREDENTIALS, REGION } from '../../../offline/emulators.ts'
import { startStreamPoller } from '../../../offline/stream-poller.ts'
import { streamArns } from '../../../offline/streams.ts'
import { createFakeLog } from '../../fakes/log.ts'

/** As the service opens its own, its repetitions included. */
export const openClient = (endpoint: string): DynamoDBClient =>
  openDynamoDb({ endpoint, region: REGION, credentials: CREDENTIALS })

let opened = 0
/** A name for the tables of one store; tables of a run that went before have another. */
const newPrefix = () => `t${process.pid}-${Date.now().toString(36)}-${opened++}-`

type Needs = {
  client: DynamoDBClient
  collections: readonly Collection[]
  clock: Clock
  random?: () => number
  blobs?: Blobs
  mostInside?: number
  mostCopied?: number
  mostMs?: number
  onLost?: (lost: object) => void
}

export type Opened = Awaited<ReturnType<typeof openTables>>

/** A store of its own tables; `again` opens another on the same ones, as another process would. */
export const openTables = async (needs: Needs) => {
  const prefix = newPrefix()
  const tableName = ({ name }: { name: string }) => prefix + name
  const definitions = tableDefinitions(needs.collections, tableName)
  await createTables(needs.client, definitions)
  const again = (more: Partial<Needs> = {}) =>
    createDynamoStore({ random: Math.random, tableName, ...needs, ...more })
  return { store: again(), again, tableName, definitions }
}

type Followed = Omit<Needs, 'client'> & {
  endpoint: string
  deliver?: (messages: readonly Message[]) => Promise<void>
}

/**
 * A store of its own tables whose streams are read, as Lambda reads them. `drained` resolves when all that follows from
 * what was committed is done: messages, then counters.
 */
export const openFollowed = async ({ endpoint, deliver, ...needs }: Followed) => {
  const client = openClient(endpoint)
  const { store, tableName, definitions } = await openTables({ client, ...needs })
  const { collections, clock } = needs
  const log = createFakeLog()
  const { drained, stop } = startStreamPoller({
    endpoint,
    log,
    streams: await streamArns(client, definitions),
    handler: createChangeConsumer({
      client,
      collections,
      clock,
      tableName,
      log,
      deliver: deliver ?? (async () => undefined),
    }),
  })
  const close = async () => {
    await stop()
    await store.close()
    client.destroy()
  }
  return { client, store, drained, close }
}
