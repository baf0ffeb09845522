import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onLoopback } from '../../../offline/loopback.ts'

/** What was asked of AWS: capacity units of DynamoDB, and requests to the other two. */
export type Units = { read: number; write: number; sqs: number; s3: number }

type Json = Record<string, unknown>
type Consumed = { CapacityUnits?: number }

const NONE: Units = { read: 0, write: 0, sqs: 0, s3: 0 }
const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems'])
const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'])

const targetOperation = (headers: IncomingHttpHeaders) => String(headers['x-amz-target'] ?? '').split('.')

/** A request to DynamoDB that also asks what it costs; any other stays as it is. */
const asking = (body: Buffer, operation: string): Buffer => {
  if (!READS.has(operation) && !WRITES.has(operation)) return body
  const input = JSON.parse(body.toString()) as Json
  return Buffer.from(JSON.stringify({ ...input, ReturnConsumedCapacity: 'TOTAL' }))
}

const unitsIn = (answer: Buffer): number => {
  const { ConsumedCapacity: consumed = [] } = JSON.parse(answer.toString()) as {
    ConsumedCapacity?: Consumed | Consumed[]
  }
  return [consumed].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
}

/**
 * Stands between functions and an emulator and notes what they ask of it, as AWS would put it on the bill. It works on
 * the wire, so that what runs behind it is what is deployed.
 */
export const startMeter = async (endpoint: string) => {
  let taken = { ...NONE }
  const note = (headers: IncomingHttpHeaders, answer: Buffer) => {
    const [service, operation = ''] = targetOperation(headers)
    if (service === 'AmazonSQS') taken.sqs += 1
    else if (operation === '') taken.s3 += 1
    else if (READS.has(operation)) taken.read += unitsIn(answer)
    else if (WRITES.has(operation)) taken.write += unitsIn(answer)
  }
  const server = createServer(async (incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming
    const body = asking(await buffer(incoming), targetOperation(headers)[1] ?? '')
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = headers
    const forwarded = request(
      new URL(url, endpoint),
      { method, headers: { ...rest, 'content-length': body.length } },
      async (reply) => {
        const answer = await buffer(reply)
        note(headers, answer)
        response.writeHead(reply.statusCode ?? 500, reply.headers).end(answer)
      },
    )
    forwarded.on('error', () => response.destroy())
    forwarded.end(body)
  })
  const { url, stop } = await onLoopback(server)
  return {
    url,
    /** What was asked since it was last called. */
    take: (): Units => {
      const units = taken
      taken = { ...NONE }
      return units
    },
    stop,
  }
}

/** Sums of units, and their largest values. */
export const add = (some: Units, more: Units): Units => joined(some, more, (a, b) => a + b)
export const largest = (all: readonly Units[]): Units =>
  all.reduce((some, more) => joined(some, more, Math.max), NONE)

const joined = (some: Units, more: Units, by: (a: number, b: number) => number): Units => ({
  read: by(some.read, more.read),
  write: by(some.write, more.write),
  sqs: by(some.sqs, more.sqs),
  s3: by(some.s3, more.s3),
})
