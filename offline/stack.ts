import * as path from 'node:path'
import { openDynamoDb, openS3, openSqs } from '../lib/adapters/aws/clients.ts'
import type { DynamoDBStreamEvent } from '../lib/adapters/aws/dynamodb/stream.ts'
import { createTables, type TableDefinition, tableDefinitions } from '../lib/adapters/aws/dynamodb/tables.ts'
import { createBucket } from '../lib/adapters/aws/s3.ts'
import { createQueues } from '../lib/adapters/aws/sqs/create-queues.ts'
import {
  deadLetterQueueName,
  queueDefinitions,
  runnerQueueName,
  urgentQueueName,
} from '../lib/adapters/aws/sqs/definitions.ts'
import { tableNames } from '../lib/app/cloud-ports.ts'
import { collections } from '../lib/collections.ts'
import type { Config } from '../lib/config/config.ts'
import type { Log } from '../lib/ports/log.ts'
import { CREDENTIALS, type Emulator, REGION, startDynamoDb, startSqsAndS3 } from './emulators.ts'
import type { FunctionHandler } from './invocation.ts'
import { seedMemory } from './memory.ts'
import { startStreamPoller } from './stream-poller.ts'
import { streamArns } from './streams.ts'
import { type Fed, recordWrites } from './write-records.ts'

const BUCKET = 'agent-tasks-files'
/** As in serverless.yml. */
const TIMEOUTS = { taskTimeoutMs: 900_000, notificationTimeoutMs: 60_000 }

export type Stack = Awaited<ReturnType<typeof startStack>>

/** The resources of a deployment on emulators, which store tables and files in `folder`, or in memory. */
export const startStack = async (config: Config, folder?: string) => {
  const tables = tableDefinitions(collections, tableNames(config.TABLE_PREFIX))
  const [database, services] = await Promise.all([startDynamoDb(folder), startSqsAndS3(folder)])
  const recorder = database.name === 'dynalite' ? await recordWrites(database.endpoint, tables) : undefined
  const stop = async () => {
    await recorder?.stop()
    await Promise.all([database.stop(), services.stop()])
  }
  const endpoint = recorder?.endpoint ?? database.endpoint
  try {
    const furnished = await furnish(config, { tables, endpoint, services }, folder)
    // dynalite has no streams.
    const arns = recorder ? [] : await streamArns(openDynamoDb({ region: REGION, endpoint }), tables)
    const streams = { endpoint, streams: arns }
    const follow = recorder?.follow ?? followStreams(streams, folder)
    return { ...furnished, streams, follow, database: database.name, stop, ended: database.ended }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

type Streams = { endpoint: string; streams: readonly string[] }

/** Passes the records of the tables' streams to a function. */
const followStreams =
  (streams: Streams, folder: string | undefined) =>
  async (handler: FunctionHandler<DynamoDBStreamEvent>, log: Pick<Log, 'error'>): Promise<Fed> => {
    const file = folder === undefined ? {} : { file: path.join(folder, 'streams.json') }
    return startStreamPoller({ ...streams, handler, log, ...file })
  }

type Emulators = { tables: readonly TableDefinition[]; endpoint: string; services: Emulator }

/** Tables, queues, a bucket, and the environment that names them. */
const furnish = async (config: Config, { tables, endpoint, services }: Emulators, folder?: string) => {
  const env: Record<string, string> = {
    SERVICE_MODE: 'pro',
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    DYNAMODB_ENDPOINT: endpoint,
    SQS_ENDPOINT: services.endpoint,
    S3_ENDPOINT: services.endpoint,
    TABLE_PREFIX: config.TABLE_PREFIX,
    FILES_BUCKET: BUCKET,
    ...(folder && !config.WORKSPACES_DIR ? { WORKSPACES_DIR: path.join(folder, 'workspaces') } : {}),
  }
  Object.assign(process.env, env)
  const place = (at: string) => ({ region: REGION, endpoint: at })
  const dynamoDb = openDynamoDb(place(endpoint))
  const sqs = openSqs(place(services.endpoint))
  const s3 = openS3(place(services.endpoint))
  const [urls] = await Promise.all([
    createQueues(sqs, queueDefinitions(config, TIMEOUTS)),
    createTables(dynamoDb, tables),
    createBucket(s3, BUCKET),
  ])
  await seedMemory(s3, BUCKET, config.MEMORY_DIR)
  const queueUrl = (name: string): string => {
    const url = urls[name]
    if (url === undefined) throw new Error(`The queue ${name} was not created`)
    return url
  }
  const queues = {
    tasks: queueUrl(config.QUEUE_NAME),
    urgent: queueUrl(urgentQueueName(config.QUEUE_NAME)),
    notifications: queueUrl(config.QUEUE_NOTIFICATION_NAME),
    deadLetters: queueUrl(deadLetterQueueName(config.QUEUE_NAME)),
    notificationDeadLetters: queueUrl(deadLetterQueueName(config.QUEUE_NOTIFICATION_NAME)),
  }
  Object.assign(process.env, {
    TASK_QUEUE_URL: queues.tasks,
    TASK_URGENT_QUEUE_URL: queues.urgent,
    NOTIFICATION_QUEUE_URL: queues.notifications,
    RUNNER_QUEUE_URL: queueUrl(runnerQueueName(config.QUEUE_NAME)),
    RUNNER_URGENT_QUEUE_URL: queueUrl(urgentQueueName(runnerQueueName(config.QUEUE_NAME))),
  })
  return { sqs, queues, timeouts: TIMEOUTS }
}
