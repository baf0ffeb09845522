import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { openDynamoDb, openS3, openSqs, openSsm } from '../../../lib/adapters/aws/clients.ts'
import { connect } from '../../../lib/adapters/aws/dynamodb/connection.ts'
import { createS3Blobs } from '../../../lib/adapters/aws/s3.ts'
import { readSecrets } from '../../../lib/adapters/aws/secrets.ts'
import { createSqsQueue } from '../../../lib/adapters/aws/sqs/queue.ts'
import { createRedelivery } from '../../../lib/adapters/aws/sqs/sqs-batch.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { CREDENTIALS, REGION } from '../../../offline/emulators.ts'

/** A call gives up after 22 s; the rest is for a machine that has other things to do as well. */
const HTTP_FUNCTION_MS = 29_000

const SILENT = () => undefined
/** Begins an answer and says no more. */
const HALF = (socket: Socket) =>
  socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half'))

/** Says one header after the other, and never enough. */
const DRIP = (socket: Socket) =>
  socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const dripping = setInterval(() => socket.write('x-drip: 1\r\n'), 500)
    socket.once('close', () => clearInterval(dripping))
  })

/** A service that takes every connection and then behaves so. */
const startService = async (behave: (socket: Socket) => unknown) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    behave(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { endpoint: `http://127.0.0.1:${port}`, connections: () => sockets.size, stop }
}

const clock = createClock()
const wait = () => Promise.resolve()

/** One call of each kind, as the adapters make it. */
const calls = (endpoint: string): Record<string, () => Promise<unknown>> => {
  const place = { region: REGION, endpoint, credentials: CREDENTIALS }
  const blobs = createS3Blobs({ client: openS3(place), bucket: 'files' })
  const client = openDynamoDb(place)
  const database = connect(client, wait)
  const sqs = openSqs(place)
  const url = `${endpoint}/000000000000/tasks`
  const redeliverIn = createRedelivery({ client: sqs, anyUrl: url, clock })
  const record = { eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:tasks', receiptHandle: 'r' }
  const get = new GetItemCommand({ TableName: 't', Key: { id: { S: 'a' } } })
  return {
    'a read of DynamoDB': () => database.calling(() => client.send(get)),
    'a read of S3': () => blobs.get('a'),
    'a write of 16 MB to S3': () => blobs.put('a', 'x'.repeat(2 ** 24)),
    'a send to SQS': () =>
      createSqsQueue({ client: sqs, urls: { normal: url }, clock }).send([{ body: {}, priority: 3 }]),
    'a redelivery': () => redeliverIn(record, 0),
    'the keys in SSM': async () => readSecrets(await openSsm(place), '/'),
  }
}

const names = Object.keys(calls('http://127.0.0.1:9'))
type Outcome = { failed: unknown; ms: number }

/** How each of the calls ended, all made at once. */
const outcomesAt = async (endpoint: string): Promise<Record<string, Outcome>> => {
  const startedAt = performance.now()
  const ended = Object.entries(calls(endpoint)).map(async ([name, call]) => {
    const failed = await call().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return [name, { failed, ms: performance.now() - startedAt }] as const
  })
  return Object.fromEntries(await Promise.all(ended))
}

const BEHAVIOURS: Record<string, (socket: Socket) => unknown> = {
  'never answers': SILENT,
  'stops in the middle of its answer': HALF,
  'never comes to the point': DRIP,
}
type Observed = { outcomes: Record<string, Outcome>; connections: number }

const observe = async (behave: (socket: Socket) => unknown): Promise<Observed> => {
  const service = await startService(behave)
  const outcomes = await outcomesAt(service.endpoint)
  service.stop()
  return { outcomes, connections: service.connections() }
}

describe.each(Object.keys(BEHAVIOURS))('an AWS that takes a connection and %s', (behaviour) => {
  it.each(names)('fails %s within the time that an HTTP function has', (name) => {
    const { failed, ms } = (observed[behaviour] as Observed).outcomes[name] as Outcome
    const cause = failed instanceof Error && failed.name === 'Problem' ? failed.cause : failed
    expect(cause).toMatchObject({ name: 'TimeoutError' })
    expect(ms).toBeLessThan(HTTP_FUNCTION_MS)
  })

  it('is asked four times at most for each', () => {
    expect(observed[behaviour]?.connections).toBeLessThanOrEqual(4 * names.length)
  })
})

describe('a client of AWS', () => {
  const place = { region: REGION, credentials: CREDENTIALS }
  const middlewareSteps = ({ middlewareStack }: { middlewareStack: { identify(): string[] } }) =>
    middlewareStack.identify().map((step) => step.split(' ')[0])

  it.each([
    ['DynamoDB', openDynamoDb(place), new DynamoDBClient(place)],
    ['S3', openS3(place), new S3Client(place)],
    ['SQS', openSqs(place), new SQSClient(place)],
  ])('puts no log of its calls together: %s', (_, ours, plain) => {
    expect(middlewareSteps(plain)).toContain('loggerMiddleware')
    expect(middlewareSteps(ours)).not.toContain('loggerMiddleware')
  })
})

let observed: Record<string, Observed>
beforeAll(async () => {
  const all = Object.entries(BEHAVIOURS).map(async ([name, behave]) => [name, await observe(behave)] as const)
  observed = Object.fromEntries(await Promise.all(all))
})
