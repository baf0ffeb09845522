import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import type { Collection } from '../../../core/collection.ts'
import { nameOf } from '../failure.ts'
import { COUNTER, MEMBER } from './counters.ts'
import { COUNTERS, type IndexPlan, type Plan, planOf, type TableName, TTL } from './plan.ts'

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

const definitionOf = ({ table, keys, secondary, expires, streamed }: Plan): TableDefinition => {
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
  ...collections.map((one) => definitionOf(planOf(one, tableName))),
  counters(tableName({ name: COUNTERS })),
]

const POLL_MS = 50

const isActive = async (client: DynamoDBClient, TableName: string): Promise<boolean> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  const statuses = [
    Table?.TableStatus,
    ...(Table?.GlobalSecondaryIndexes ?? []).map(({ IndexStatus }) => IndexStatus),
  ]
  return statuses.every((status) => status === 'ACTIVE')
}

/** Resolves to undefined for an error of one of these names. */
const unless = async (names: readonly string[], work: Promise<unknown>): Promise<void> => {
  try {
    await work
  } catch (thrown) {
    if (!names.includes(nameOf(thrown))) throw thrown
  }
}

/**
 * Creates missing tables and waits until they are active. For emulators and tests: in the cloud, tables belong to the
 * stack. An emulator without expiry skips it; rows count as absent in time all the same.
 */
export const createTables = async (
  client: DynamoDBClient,
  definitions: readonly TableDefinition[],
): Promise<void> => {
  for (const { create } of definitions)
    await unless(['ResourceInUseException'], client.send(new CreateTableCommand(create)))
  for (const { create, ttl } of definitions) {
    while (!(await isActive(client, create.TableName))) await sleep(POLL_MS)
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
