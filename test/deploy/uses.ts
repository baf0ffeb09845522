import type { IncomingMessage } from 'node:http'

/** What a call does and to what, in the words of a policy: `dynamodb:Query tasks/index`, `sqs:SendMessage ai-tasks`. */
type Use = string

type Json = Record<string, unknown>
type Table = { TableName: string; IndexName?: string }

const ofDynamoDb = (operation: string, body: Json): Use[] => {
  if (operation === 'TransactWriteItems') {
    const items = body.TransactItems as Record<string, Table>[]
    return items.flatMap((item) =>
      Object.entries(item).map(([verb, { TableName }]) => `dynamodb:${verb}Item ${TableName}`),
    )
  }
  if (operation === 'BatchGetItem')
    return Object.keys(body.RequestItems as Json).map((table) => `dynamodb:BatchGetItem ${table}`)
  const { TableName, IndexName } = body as Table
  return [`dynamodb:${operation} ${TableName}${IndexName === undefined ? '' : '/index'}`]
}

/** A batch of a verb needs the right to the verb. */
const ofSqs = (operation: string, body: Json): Use[] => [
  `sqs:${operation.replace(/Batch$/, '')} ${String(body.QueueUrl).split('/').at(-1)}`,
]

const S3_VERBS: Readonly<Record<string, string>> = {
  GET: 'GetObject',
  PUT: 'PutObject',
  DELETE: 'DeleteObject',
}

/** Rows of each collection lie in a folder of their own. */
const objectFolder = (key: readonly string[]) => key.slice(0, key[0] === 'rows' ? 2 : 1).join('/')

/** Path style: `/bucket/rows/tasks/…`. An upload in parts is put, from its beginning to its completion. */
const ofS3 = ({ method = '', url = '' }: IncomingMessage): Use[] => {
  const [path = '', query = ''] = url.split('?')
  const [, , ...key] = path.split('/')
  if (key.join('') === '') return ['s3:ListBucket']
  const isOfUpload = /\b(?:uploads|uploadId)\b/.test(query)
  const verb = isOfUpload ? (method === 'DELETE' ? 'AbortMultipartUpload' : 'PutObject') : S3_VERBS[method]
  return [`s3:${verb} ${objectFolder(key)}`]
}

/** What a call to DynamoDB, SQS, S3 or KMS needs the right to; there is one key. */
export const requestUses = (incoming: IncomingMessage, body: Buffer): Use[] => {
  const [service, operation] = String(incoming.headers['x-amz-target'] ?? '').split('.')
  if (operation === undefined) return ofS3(incoming)
  if (service === 'TrentService') return [`kms:${operation}`]
  const json = JSON.parse(body.toString()) as Json
  return service === 'AmazonSQS' ? ofSqs(operation, json) : ofDynamoDb(operation, json)
}
