import * as path from 'node:path'
import { openDynamoDb, openS3, openSqs } from '../lib/adapters/aws/clients.ts'
import { createTables, tableDefinitions } from '../lib/adapters/aws/dynamodb/tables.ts'
import { createBucket } from '../lib/adapters/aws/s3.ts'
import { createQueues } from '../lib/adapters/aws/sqs/create-queues.ts'
import { deadLetterQueueOf, queueDefinitions, urgentQueueOf } from '../lib/adapters/aws/sqs/definitions.ts'
import { tableNames } from '../lib/app/cloud-base.ts'
import { collections } from '../lib/collections.ts'
import type { Config } from '../lib/config.ts'
import { CREDENTIALS, type Emulator, REGION, startDynamoDb, startSqsAndS3 } from './emulators.ts'
import { seedMemory } from './memory.ts'

const BUCKET = 'agent-tasks-files'
/** As in serverless.yml. */
const TIMEOUTS = { taskTimeoutMs: 900_000, notificationTimeoutMs: 60_000 }

export type Stack = Awaited<ReturnType<typeof startStack>>

/** What a deployment would have made, on emulators that keep tables and files in `folder`, or else in memory. */
export const startStack = async (config: Config, folder?: string) => {
  const [database, services] = await Promise.all([startDynamoDb(folder), startSqsAndS3(folder)])
  const stop = async () => {
    await Promise.all([database.stop(), services.stop()])
  }
  try {
    const furnished = await furnish(config, { database, services }, folder)
    return { ...furnished, database: database.name, stop, ended: database.ended }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

type Emulators = { database: Emulator; services: Emulator }

/** Tables, queues, a bucket, and the environment that names them. */
const furnish = async (config: Config, { database, services }: Emulators, folder?: string) => {
  const env: Record<string, string> = {
    SERVICE_MODE: 'pro',
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    DYNAMODB_ENDPOINT: database.endpoint,
    SQS_ENDPOINT: services.endpoint,
    S3_ENDPOINT: services.endpoint,
    TABLE_PREFIX: config.TABLE_PREFIX,
    FILES_BUCKET: BUCKET,
    ...(folder && !config.WORKSPACES_DIR ? { WORKSPACES_DIR: path.join(folder, 'workspaces') } : {}),
  }
  Object.assign(process.env, env)
  const place = (endpoint: string) => ({ region: REGION, endpoint })
  const sqs = openSqs(place(services.endpoint))
  const tables = tableDefinitions(collections, tableNames(config.TABLE_PREFIX))
  const s3 = openS3(place(services.endpoint))
  const [urls] = await Promise.all([
    createQueues(sqs, queueDefinitions(config, TIMEOUTS)),
    createTables(openDynamoDb(place(database.endpoint)), tables),
    createBucket(s3, BUCKET),
  ])
  await seedMemory(s3, BUCKET, config.MEMORY_DIR)
  const urlOf = (name: string): string => {
    const url = urls[name]
    if (url === undefined) throw new Error(`The queue ${name} was not created`)
    return url
  }
  const queues = {
    tasks: urlOf(config.QUEUE_NAME),
    urgent: urlOf(urgentQueueOf(config.QUEUE_NAME)),
    notifications: urlOf(config.QUEUE_NOTIFICATION_NAME),
    deadLetters: urlOf(deadLetterQueueOf(config.QUEUE_NAME)),
    notificationDeadLetters: urlOf(deadLetterQueueOf(config.QUEUE_NOTIFICATION_NAME)),
  }
  Object.assign(process.env, {
    TASK_QUEUE_URL: queues.tasks,
    TASK_URGENT_QUEUE_URL: queues.urgent,
    NOTIFICATION_QUEUE_URL: queues.notifications,
  })
  return { sqs, queues, timeouts: TIMEOUTS }
}
