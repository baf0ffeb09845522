import type { TableDefinition } from '../lib/adapters/aws/dynamodb/tables.ts'
import type { Collection } from '../lib/core/collection.ts'
import { logicalName, type Stage, tableName } from './tables.ts'

/**
 * How the stream function is fed. A batch that fails is halved until the record that cannot be processed is alone; after
 * its retries that goes to the on-failure queue, and the others go on. Without the tumbling window, Lambda does not say
 * which shard a batch is of.
 */
const MAPPING = {
  startingPosition: 'TRIM_HORIZON',
  batchSize: 100,
  parallelizationFactor: 1,
  tumblingWindowInSeconds: 1,
  bisectBatchOnFunctionError: true,
  maximumRetryAttempts: 50,
  // A watermark of a counter lives an hour longer.
  maximumRecordAgeInSeconds: 86_400,
  functionResponseType: 'ReportBatchItemFailures',
  destinations: { onFailure: { type: 'sqs', arn: { 'Fn::GetAtt': ['StreamFailures', 'Arn'] } } },
} as const

/** Seconds for which records are gathered: a message is waited for, a counter may follow within two seconds. */
const windowOf = ({ sends }: Pick<Collection, 'sends'>): number => (sends === undefined ? 1 : 0)

/** The events of the stream function and the streams that its role may read, of the tables that have one. */
export const streamSources = (
  definitions: readonly TableDefinition[],
  collections: readonly Collection[],
  stage: Stage,
) => {
  const named = new Map(collections.map((one) => [tableName(stage)(one), one]))
  const streamed = definitions.filter(({ create }) => create.StreamSpecification !== undefined)
  const arnOf = (table: TableDefinition) => ({ 'Fn::GetAtt': [logicalName(table, stage), 'StreamArn'] })
  return {
    events: streamed.map((table) => ({
      stream: {
        type: 'dynamodb',
        arn: arnOf(table),
        batchWindow: windowOf(named.get(table.create.TableName) ?? {}),
        ...MAPPING,
      },
    })),
    arns: streamed.map(arnOf),
  }
}
