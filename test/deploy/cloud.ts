import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { type Message, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { openDynamoDb, openS3, openSqs } from '../../lib/adapters/aws/clients.ts'
import type { DynamoDBStreamEvent } from '../../lib/adapters/aws/dynamodb/stream.ts'
import { createTables, tableDefinitions } from '../../lib/adapters/aws/dynamodb/tables.ts'
import { createBucket, createS3Blobs } from '../../lib/adapters/aws/s3.ts'
import { createQueues } from '../../lib/adapters/aws/sqs/create-queues.ts'
import { queueDefinitions } from '../../lib/adapters/aws/sqs/definitions.ts'
import { tableNames } from '../../lib/app/cloud-ports.ts'
import { collections } from '../../lib/collections.ts'
import { CREDENTIALS, REGION, startDynamoDb, startSqsAndS3 } from '../../offline/emulators.ts'
import { createStreams, streamArns } from '../../offline/streams.ts'
import { type Hear, startProxy } from '../adapters/aws/proxy.ts'
import { startSsm } from '../adapters/aws/ssm.ts'
import { startKms } from '../adapters/kms/server.ts'
import { requestUses } from './uses.ts'

const TABLE_PREFIX = 't-'
const QUEUES = { QUEUE_NAME: 'ai-tasks', QUEUE_NOTIFICATION_NAME: 'ai-task-notifications' }
const TIMEOUTS = { taskTimeoutMs: 900_000, notificationTimeoutMs: 60_000 }
const BUCKET = 'files'
const KEY = 'key-1'
const SECRETS_PATH = '/t'
const MOST_RECORDS = 100

const MOST_TRIES = 10

/**
 * Emulators that share the machine with other tests may not take a connection within the second that the clients of the
 * service wait for one. What is made here may be made again.
 */
const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries += 1)
    try {
      return await work()
    } catch (thrown) {
      if (tries === MOST_TRIES || !(thrown instanceof Error) || thrown.name !== 'TimeoutError') throw thrown
    }
}

/** What functions stand on, on emulators; `secrets` are parameters of SSM. */
export const startCloud = async (secrets: Readonly<Record<string, string>> = {}) => {
  const [database, services, kms] = await Promise.all([startDynamoDb(), startSqsAndS3(), startKms(KEY)])
  const parameters = Object.entries(secrets).map(([name, Value]) => ({
    Name: `${SECRETS_PATH}/${name}`,
    Value,
  }))
  /** Stores another value of a parameter, for all functions. */
  const changeSecret = (name: string, Value: string) => {
    const parameter = parameters.find(({ Name }) => Name === `${SECRETS_PATH}/${name}`)
    if (parameter) parameter.Value = Value
  }
  const place = ({ endpoint }: { endpoint: string }) => ({ region: REGION, endpoint })
  const credentials = {
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  }
  Object.assign(process.env, credentials)
  const sqs = openSqs(place(services))
  const s3 = openS3(place(services))
  const dynamoDb = openDynamoDb(place(database))
  const tables = tableDefinitions(collections, tableNames(TABLE_PREFIX))
  const [urls] = await Promise.all([
    patiently(() => createQueues(sqs, queueDefinitions(QUEUES, TIMEOUTS))),
    patiently(() => createTables(dynamoDb, tables)),
    patiently(() => createBucket(s3, BUCKET)),
  ])
  const arns = await streamArns(dynamoDb, tables)
  const { shards, start, read } = createStreams(database.endpoint)
  const iterators = new Map<string, string>()
  /** What tables have changed since it was last asked, as events of the stream function. */
  const takeChanges = async (): Promise<DynamoDBStreamEvent[]> => {
    const events: DynamoDBStreamEvent[] = []
    for (const eventSourceARN of arns)
      for (const { ShardId: shardId } of await shards(eventSourceARN)) {
        const from = iterators.get(shardId) ?? (await start(eventSourceARN, shardId))
        const { records, next = from } = await read(from, MOST_RECORDS)
        iterators.set(shardId, next)
        const Records = records.map((record) => ({ ...record, eventSourceARN }))
        if (Records.length > 0) events.push({ Records, shardId })
      }
    return events
  }
  /** The environment of one function, in which everything that it does is noted. */
  const openEnvironment = async () => {
    const noted = new Set<string>()
    let isDown = false
    const note: Hear = (incoming, body) => {
      for (const use of requestUses(incoming, body)) noted.add(use.replace(` ${TABLE_PREFIX}`, ' '))
      return undefined
    }
    const toDatabase = await startProxy(
      database.endpoint,
      (...call) => note(...call) ?? (isDown ? 'broken' : undefined),
    )
    const toServices = await startProxy(services.endpoint, note)
    const toKms = await startProxy(kms.endpoint, note)
    const ssm = await startSsm([parameters])
    const seenAs = (name: string) => `${toServices.url}${new URL(urls[name] ?? '').pathname}`
    const env = {
      ...credentials,
      SERVICE_MODE: 'pro',
      LOG_LEVEL: 'error',
      AWS_REGION: REGION,
      DYNAMODB_ENDPOINT: toDatabase.url,
      SQS_ENDPOINT: toServices.url,
      S3_ENDPOINT: toServices.url,
      KMS_ENDPOINT: toKms.url,
      KMS_KEY_ID: KEY,
      AWS_ENDPOINT_URL_SSM: ssm.endpoint,
      SECRETS_PATH,
      ACCOUNT_SECRETS_PATH: SECRETS_PATH,
      AUTH_MODE: 'cloud',
      OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
      TABLE_PREFIX,
      TASK_QUEUE_URL: seenAs('ai-tasks'),
      TASK_URGENT_QUEUE_URL: seenAs('ai-tasks-urgent'),
      NOTIFICATION_QUEUE_URL: seenAs('ai-task-notifications'),
      RUNNERS: 'on',
      RUNNER_QUEUE_URL: seenAs('ai-tasks-runners'),
      RUNNER_URGENT_QUEUE_URL: seenAs('ai-tasks-runners-urgent'),
      FILES_BUCKET: BUCKET,
    }
    const uses = () => [...noted, ...new Set(ssm.asked.map(({ action }) => `ssm:${action}`))].sort()
    /** Has storage fail while `work` goes on. */
    const withoutStorage = async <T>(work: () => Promise<T>): Promise<T> => {
      isDown = true
      return work().finally(() => {
        isDown = false
      })
    }
    const stop = () => [toDatabase, toServices, toKms, ssm].map((one) => one.stop())
    return { env, uses, withoutStorage, stop }
  }

  /** The messages that wait in a queue, which are then hidden as if somebody worked on them. */
  const take = async (name: string): Promise<Message[]> => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: urls[name],
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
      }),
    )
    return Messages
  }

  const put = (name: string, text: string) =>
    sqs.send(new SendMessageCommand({ QueueUrl: urls[name], MessageBody: text }))

  /** A memory file, as people put it into the bucket. */
  const putFile = (name: string, Body: string) =>
    s3.send(new PutObjectCommand({ Bucket: BUCKET, Key: `memory/${name}`, Body }))

  /** As people remove one again. */
  const removeFile = (name: string) =>
    s3.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: `memory/${name}` }))

  /** Removes the compiled copies of memory, of which every version has one. */
  const dropCopies = async (): Promise<void> => {
    const { keys } = await createS3Blobs({ client: s3, bucket: BUCKET }).list('memory-index/', { limit: 100 })
    for (const Key of keys) await s3.send(new DeleteObjectCommand({ Bucket: BUCKET, Key }))
  }

  const stop = async () => {
    sqs.destroy()
    s3.destroy()
    dynamoDb.destroy()
    await Promise.all([database.stop(), services.stop(), kms.stop()])
  }
  return { openEnvironment, changeSecret, take, takeChanges, put, putFile, removeFile, dropCopies, stop }
}
