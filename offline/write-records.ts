import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { DynamoDBStreamEvent, StreamRecord } from '../lib/adapters/aws/dynamodb/stream.ts'
import type { TableDefinition } from '../lib/adapters/aws/dynamodb/tables.ts'
import type { Log } from '../lib/ports/log.ts'
import type { FunctionHandler } from './invocation.ts'
import { onLoopback } from './loopback.ts'

export type Fed = { stop(): Promise<void> }

type Image = NonNullable<StreamRecord['dynamodb']>['NewImage']
type Write = { TableName: string; Key?: Image; Item?: Image }
type Answer = { status: number; headers: Headers; text: string }

const WRITES = /^DynamoDB_20120810\.(?:PutItem|UpdateItem|DeleteItem)$/
const TRANSACTION = 'DynamoDB_20120810.TransactWriteItems'
const REFUSED = 'ConditionalCheckFailedException'
const SHARD = 'shardId-0'

/**
 * A proxy before an emulator without streams and transactions: it passes each write of a streamed table to a function, with
 * the items before and after, and writes a transaction in order until a write is refused. A refusal gets the item that failed
 * the condition. Nothing is stored: a change is lost when the function fails or the process dies.
 */
export const recordWrites = async (endpoint: string, definitions: readonly TableDefinition[]) => {
  const tables = new Map(definitions.map(({ create }) => [create.TableName, create]))
  let handler: FunctionHandler<DynamoDBStreamEvent> | undefined
  let log: Pick<Log, 'error'> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let handed: Promise<unknown> = Promise.resolve()
  // Sequence numbers of the previous process are smaller.
  let sequence = Date.now() * 1_000

  const ask = async (headers: IncomingHttpHeaders, target: string, body: string): Promise<Answer> => {
    const { authorization = '', 'x-amz-date': date = '' } = headers
    const sent = { authorization, 'x-amz-date': String(date), 'x-amz-target': target }
    const request = {
      method: 'POST',
      body,
      headers: { ...sent, 'content-type': 'application/x-amz-json-1.0' },
    }
    const answer = await fetch(endpoint, request)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  const hand = async (table: string, OldImage: Image, NewImage: Image) => {
    sequence += 1
    const images = { ...(OldImage && { OldImage }), ...(NewImage && { NewImage }) }
    const record: StreamRecord = {
      eventSourceARN: `arn:aws:dynamodb:local:000000000000:table/${table}/stream/none`,
      dynamodb: {
        ...images,
        SequenceNumber: String(sequence),
        ApproximateCreationDateTime: Date.now() / 1_000,
      },
    }
    const context = { awsRequestId: `offline-${sequence}`, getRemainingTimeInMillis: () => 60_000 }
    await handler?.({ Records: [record], shardId: SHARD }, context).catch((thrown) =>
      log?.error({ table, reason: String(thrown) }, 'the messages and counters of a write were lost'),
    )
  }

  const recorded = async (headers: IncomingHttpHeaders, target: string, body: string): Promise<Answer> => {
    const write: Write = JSON.parse(body)
    const { KeySchema = [], StreamSpecification } = tables.get(write.TableName) ?? {}
    const from = write.Key ?? write.Item ?? {}
    const Key = Object.fromEntries(
      KeySchema.map(({ AttributeName = '' }) => [AttributeName, from[AttributeName]]),
    )
    const get = JSON.stringify({ TableName: write.TableName, Key, ConsistentRead: true })
    const read = async (): Promise<Image> =>
      JSON.parse((await ask(headers, 'DynamoDB_20120810.GetItem', get)).text).Item
    const before = await read()
    const answer = await ask(headers, target, body)
    if (answer.status !== 200) return answer.text.includes(REFUSED) ? refusal(before) : answer
    if (StreamSpecification === undefined) return answer
    const after = await read()
    // In order, as a stream does: a record behind a later one counts as counted.
    handed = handed.then(() => hand(write.TableName, before, after))
    return answer
  }

  const inOrder = async (headers: IncomingHttpHeaders, body: string): Promise<Answer> => {
    const { TransactItems }: { TransactItems: readonly Record<string, Write>[] } = JSON.parse(body)
    for (const [at, item] of TransactItems.entries()) {
      const [kind = '', write] = Object.entries(item)[0] ?? []
      const answer = await recorded(headers, `DynamoDB_20120810.${kind}Item`, JSON.stringify(write))
      if (answer.status === 200) continue
      return answer.text.includes(REFUSED)
        ? cancelled(TransactItems.length, at, JSON.parse(answer.text).Item)
        : answer
    }
    return { status: 200, headers: new Headers(), text: '{}' }
  }

  const serve = async (request: IncomingMessage): Promise<Answer> => {
    const body = await bodyText(request)
    const target = String(request.headers['x-amz-target'] ?? '')
    const isTransaction = target === TRANSACTION
    if (!isTransaction && !WRITES.test(target)) return ask(request.headers, target, body)
    // One write at a time, so that the item that was read before a write is the one that it changes.
    const run = last.then(() =>
      isTransaction ? inOrder(request.headers, body) : recorded(request.headers, target, body),
    )
    last = run.catch(() => undefined)
    return run
  }

  const server = createServer((request, response) => {
    serve(request).then(
      ({ status, headers, text }) => {
        const crc = headers.get('x-amz-crc32')
        const type = { 'content-type': 'application/x-amz-json-1.0', ...(crc && { 'x-amz-crc32': crc }) }
        response.writeHead(status, type).end(text)
      },
      () => response.writeHead(500).end(),
    )
  })
  const { url, stop } = await onLoopback(server)
  return {
    endpoint: url,
    stop,
    follow: async (given: FunctionHandler<DynamoDBStreamEvent>, to: Pick<Log, 'error'>): Promise<Fed> => {
      handler = given
      log = to
      return {
        stop: async () => {
          await last
          await handed
        },
      }
    },
  }
}

const failure = (type: string, more: object): Answer => ({
  status: 400,
  headers: new Headers(),
  text: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, ...more }),
})

/** The answer of a write whose condition failed, with the item that the emulator leaves out. */
const refusal = (Item: Image): Answer => failure(REFUSED, { message: 'The conditional request failed', Item })

/** The answer of a transaction of so many writes that one of them refused. */
const cancelled = (writes: number, refused: number, Item: Image): Answer =>
  failure('TransactionCanceledException', {
    CancellationReasons: Array.from({ length: writes }, (_, at) =>
      at === refused ? { Code: 'ConditionalCheckFailed', Item } : { Code: 'None' },
    ),
  })

const bodyText = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
