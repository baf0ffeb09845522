import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import type { Collection } from '../../../core/collection.ts'
import { errorName } from '../failure.ts'
import { COUNTER, MEMBER } from './counters.ts'
import { COUNTERS, type IndexPlan, type Plan, type TableName, TTL, tablePlan } from './plan.ts'

/** The definition of a table, and its attribute of expiry. */
export type TableDefinition = { create: CreateTableCommandInput & { TableName: string }; ttl?: string }

const keySchema = ([hash, range]: readonly string[]) => [
  { AttributeName: hash, KeyType: 'HASH' as const },
  ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' as const }]),
]

const secondaryIndex = ({ name, p, s, named }: IndexPlan) => ({
  IndexName: name,
  KeySchema: keySchema([p, s]),
  Projection:
    named === undefined
      ? { ProjectionType: 'ALL' as const }
      : { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...named] },
})

const tableDefinition = ({ table, keys, secondary, expires, streamed }: Plan): TableDefinition => {
  const attributes = [...new Set([...keys, ...secondary.flatMap(({ p, s }) => [p, s])])]
  const indexes = secondary.map(secondaryIndex)
  return {
    create: {
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: keySchema(keys),
      AttributeDefinitions: attributes.map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      ...(indexes.length > 0 ? { GlobalSecondaryIndexes: indexes } : {}),
      ...(streamed
        ? { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const } }
        : {}),
    },
    ...(expires === undefined ? {} : { ttl: TTL }),
  }
}

const counters = (table: string): TableDefinition => ({
  create: {
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema([COUNTER, MEMBER]),
    AttributeDefinitions: [COUNTER, MEMBER].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
  },
  ttl: TTL,
})

/** The tables of the collections, and the one of the counters: on demand, with their indexes and expiry. */
export const tableDefinitions = (
  collections: readonly Collection[],
  tableName: TableName,
): TableDefinition[] => [
  ...collections.map((one) => tableDefinition(tablePlan(one, tableName))),
  counters(tableName({ name: COUNTERS })),
]

/** In seconds. */
const WAITING = { maxWaitTime: 60, minDelay: 0.05, maxDelay: 0.05 }

/** Resolves to undefined for an error of one of these names. */
const unless = async (names: readonly string[], work: Promise<unknown>): Promise<void> => {
  try {
    await work
  } catch (thrown) {
    if (!names.includes(errorName(thrown))) throw thrown
  }
}

/**
 * Creates missing tables and waits until they are active, for emulators and tests. An emulator without expiry skips it; rows
 * count as absent in time all the same.
 */
export const createTables = async (
  client: DynamoDBClient,
  definitions: readonly TableDefinition[],
): Promise<void> => {
  for (const { create } of definitions)
    await unless(['ResourceInUseException'], client.send(new CreateTableCommand(create)))
  for (const { create, ttl } of definitions) {
    await waitUntilTableExists({ client, ...WAITING }, { TableName: create.TableName })
    if (ttl === undefined) continue
    const expiry = {
      TableName: create.TableName,
      TimeToLiveSpecification: { Enabled: true, AttributeName: ttl },
    }
    // An existing table refuses to enable it again.
    await unless(
      ['UnknownOperationException', 'ValidationException'],
      client.send(new UpdateTimeToLiveCommand(expiry)),
    )
  }
}
