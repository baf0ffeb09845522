import type { TableDefinition } from '../lib/adapters/aws/dynamodb/tables.ts'
import type { Collection } from '../lib/core/collection.ts'
import { logicalName, type Stage, tableName } from './tables.ts'

/**
 * The event source mapping of the stream function. A failed batch is halved until the failing record is alone; after its
 * retries it goes to the on-failure queue, and the others continue. Without the tumbling window, Lambda does not name the
 * shard of a batch.
 */
const MAPPING = {
  startingPosition: 'TRIM_HORIZON',
  batchSize: 100,
  parallelizationFactor: 1,
  tumblingWindowInSeconds: 1,
  bisectBatchOnFunctionError: true,
  maximumRetryAttempts: 50,
  // A watermark of a counter lives an hour longer than this.
  maximumRecordAgeInSeconds: 86_400,
  functionResponseType: 'ReportBatchItemFailures',
  destinations: { onFailure: { type: 'sqs', arn: { 'Fn::GetAtt': ['StreamFailures', 'Arn'] } } },
} as const

/** Seconds in which records are gathered: messages are needed at once, counters may lag by two seconds. */
const batchWindow = ({ sends }: Pick<Collection, 'sends'>): number => (sends === undefined ? 1 : 0)

/** The events of the stream function and the streams that its role may read, for all tables with a stream. */
export const streamSources = (
  definitions: readonly TableDefinition[],
  collections: readonly Collection[],
  stage: Stage,
) => {
  const named = new Map(collections.map((one) => [tableName(stage)(one), one]))
  const streamed = definitions.filter(({ create }) => create.StreamSpecification !== undefined)
  const streamArn = (table: TableDefinition) => ({ 'Fn::GetAtt': [logicalName(table, stage), 'StreamArn'] })
  return {
    events: streamed.map((table) => ({
      stream: {
        type: 'dynamodb',
        arn: streamArn(table),
        batchWindow: batchWindow(named.get(table.create.TableName) ?? {}),
        ...MAPPING,
      },
    })),
    arns: streamed.map(streamArn),
  }
}
