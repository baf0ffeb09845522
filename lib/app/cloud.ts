import { openDynamoDb, openS3 } from '../adapters/aws/clients.ts'
import { createDynamoStore } from '../adapters/aws/dynamodb/store.ts'
import { createS3Blobs } from '../adapters/aws/s3.ts'
import { createSqsClient } from '../adapters/aws/sqs/client.ts'
import { createSqsQueue } from '../adapters/aws/sqs/queue.ts'
import { createRedelivery } from '../adapters/aws/sqs/redelivery.ts'
import { createBreakers } from '../adapters/node/breakers.ts'
import { createClock } from '../adapters/node/clock.ts'
import { createIds } from '../adapters/node/ids.ts'
import { createLog } from '../adapters/node/log.ts'
import { collections } from '../collections.ts'
import { badSetting, type Config } from '../config.ts'
import type { Collection } from '../core/collection.ts'
import type { Ports } from '../domains.ts'
import type { Announce } from '../notifications/schema.ts'
import type { RunTask } from '../tasks/schema.ts'
import { isFault } from './faults.ts'

/** The name of a collection's table: `agent-tasks-dev-deadLetters`. */
export const tableNames =
  (prefix: string) =>
  ({ name }: Pick<Collection, 'name'>): string =>
    `${prefix}${name}`

/** The outside world of a function: storage and queues of the cloud, or emulators of them. */
export const openCloudPorts = (config: Config) => {
  const region = config.AWS_REGION
  const clock = createClock()
  const log = createLog({ level: config.LOG_LEVEL })
  const sqs = createSqsClient({ region, ...(config.SQS_ENDPOINT ? { endpoint: config.SQS_ENDPOINT } : {}) })
  const s3 = openS3({ region, endpoint: config.S3_ENDPOINT })
  const store = createDynamoStore({
    client: openDynamoDb({ region, endpoint: config.DYNAMODB_ENDPOINT }),
    collections,
    clock,
    random: Math.random,
    tableName: tableNames(config.TABLE_PREFIX),
    blobs: createS3Blobs({ client: s3, bucket: required(config, 'FILES_BUCKET') }),
  })
  const normal = required(config, 'TASK_QUEUE_URL')
  const urgent = required(config, 'TASK_URGENT_QUEUE_URL')
  const announcements = required(config, 'NOTIFICATION_QUEUE_URL')
  const ports: Omit<Ports, 'adapters'> = {
    store,
    taskQueue: {
      ...createSqsQueue<RunTask>({ client: sqs, urls: { urgent, normal }, clock }),
      running: true,
      concurrency: config.QUEUE_CONCURRENCY,
    },
    notificationQueue: {
      ...createSqsQueue<Announce>({
        client: sqs,
        urls: { normal: announcements },
        clock,
      }),
      running: true,
      concurrency: config.QUEUE_NOTIFICATION_CONCURRENCY,
    },
    breakers: createBreakers({ clock, isFault }),
    clock,
    ids: createIds({ clock }),
    log,
    random: Math.random,
    queueMode: 'sqs',
  }
  return { ...ports, redeliverIn: createRedelivery(sqs, [urgent, normal, announcements]) }
}

/** What the deployment has to say; a function that lacks it does nothing. */
const required = (
  config: Config,
  name: 'FILES_BUCKET' | 'TASK_QUEUE_URL' | 'TASK_URGENT_QUEUE_URL' | 'NOTIFICATION_QUEUE_URL',
): string => {
  const value = config[name]
  if (value === undefined) throw badSetting(`${name}: must be set in mode pro`)
  return value
}
