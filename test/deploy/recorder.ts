import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What a call does and to what, in the words of a policy: `dynamodb:Query tasks/index`, `sqs:SendMessage ai-tasks`. */
export type Use = string

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

/** Path style: `/bucket/rows/tasks/…`. */
const ofS3 = ({ method = '', url = '' }: IncomingMessage): Use[] => {
  const [, , ...key] = url.split('?')[0]?.split('/') ?? []
  return [key.join('') === '' ? 's3:ListBucket' : `s3:${S3_VERBS[method]} ${key.slice(0, 2).join('/')}`]
}

const usesOf = (incoming: IncomingMessage, body: Buffer): Use[] => {
  const [service, operation] = String(incoming.headers['x-amz-target'] ?? '').split('.')
  if (operation === undefined) return ofS3(incoming)
  const json = JSON.parse(body.toString()) as Json
  return service === 'AmazonSQS' ? ofSqs(operation, json) : ofDynamoDb(operation, json)
}

/** Stands between a function and an emulator, and notes what the function does there. */
export const startRecorder = async (endpoint: string) => {
  const uses = new Set<Use>()
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming)
    for (const use of usesOf(incoming, body)) uses.add(use)
    const { method = 'GET', url = '/', headers } = incoming
    const forwarded = request(new URL(url, endpoint), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    forwarded.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, uses, stop }
}
