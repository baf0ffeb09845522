import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { StreamRecord } from '../lib/adapters/aws/dynamodb/stream.ts'
import type { TableDefinition } from '../lib/adapters/aws/dynamodb/tables.ts'

/** Emulators require a signature and do not check it. */
const SIGNED = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
}

type Shard = { ShardId: string; ParentShardId?: string }
type Page = { Records?: StreamRecord[]; NextShardIterator?: string }

/**
 * The streams of an emulator of DynamoDB, by the API of DynamoDB Streams
 * (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html).
 */
export const createStreams = (endpoint: string) => {
  const call = async <Answer>(operation: string, body: object): Promise<Answer> => {
    const target = { 'x-amz-target': `DynamoDBStreams_20120810.${operation}` }
    const request = { method: 'POST', headers: { ...SIGNED, ...target }, body: JSON.stringify(body) }
    const answer = await fetch(endpoint, request)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${operation} was answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
  return {
    shards: async (StreamArn: string): Promise<Shard[]> => {
      type Answer = { StreamDescription: { Shards?: Shard[] } }
      return (await call<Answer>('DescribeStream', { StreamArn })).StreamDescription.Shards ?? []
    },
    /** Begins after a record, or at the oldest one. */
    start: async (StreamArn: string, ShardId: string, after?: string): Promise<string> => {
      const place =
        after === undefined
          ? { ShardIteratorType: 'TRIM_HORIZON' }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after }
      const body = { StreamArn, ShardId, ...place }
      return (await call<{ ShardIterator: string }>('GetShardIterator', body)).ShardIterator
    },
    read: async (ShardIterator: string, Limit: number) => {
      const { Records = [], NextShardIterator } = await call<Page>('GetRecords', { ShardIterator, Limit })
      return { records: Records, next: NextShardIterator }
    },
  }
}

export const streamArns = async (
  client: DynamoDBClient,
  definitions: readonly TableDefinition[],
): Promise<string[]> => {
  const streamed = definitions.filter(({ create }) => create.StreamSpecification !== undefined)
  const tables = await Promise.all(
    streamed.map(({ create: { TableName } }) => client.send(new DescribeTableCommand({ TableName }))),
  )
  return tables.flatMap(({ Table }) => Table?.LatestStreamArn ?? [])
}
