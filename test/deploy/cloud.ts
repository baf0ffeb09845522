import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { openDynamoDb, openS3 } from '../../lib/adapters/aws/clients.ts'
import { createTables, tableDefinitions } from '../../lib/adapters/aws/dynamodb/tables.ts'
import { createBucket } from '../../lib/adapters/aws/s3.ts'
import { createSqsClient } from '../../lib/adapters/aws/sqs/client.ts'
import { createQueues } from '../../lib/adapters/aws/sqs/create-queues.ts'
import { queueDefinitions } from '../../lib/adapters/aws/sqs/definitions.ts'
import { tableNames } from '../../lib/app/cloud.ts'
import { collections } from '../../lib/collections.ts'
import { CREDENTIALS, REGION, startDynamoDb, startSqsAndS3 } from '../../offline/emulators.ts'
import { startRecorder } from './recorder.ts'

const TABLE_PREFIX = 't-'
const QUEUES = { QUEUE_NAME: 'ai-tasks', QUEUE_NOTIFICATION_NAME: 'ai-task-notifications' }
const TIMEOUTS = { taskTimeoutMs: 900_000, notificationTimeoutMs: 60_000 }
const BUCKET = 'files'

/** What functions stand on, on emulators. */
export const startCloud = async () => {
  const [database, services] = await Promise.all([startDynamoDb(), startSqsAndS3()])
  const place = ({ endpoint }: { endpoint: string }) => ({ region: REGION, endpoint })
  const credentials = {
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  }
  Object.assign(process.env, credentials)
  const sqs = createSqsClient(place(services))
  const [urls] = await Promise.all([
    createQueues(sqs, queueDefinitions(QUEUES, TIMEOUTS)),
    createTables(openDynamoDb(place(database)), tableDefinitions(collections, tableNames(TABLE_PREFIX))),
    createBucket(openS3(place(services)), BUCKET),
  ])
  /** The environment of one function, in which everything that it does is noted. */
  const environmentOf = async () => {
    const ofDatabase = await startRecorder(database.endpoint)
    const ofServices = await startRecorder(services.endpoint)
    const seenAs = (name: string) => `${ofServices.url}${new URL(urls[name] ?? '').pathname}`
    const env = {
      ...credentials,
      SERVICE_MODE: 'pro',
      LOG_LEVEL: 'error',
      AWS_REGION: REGION,
      DYNAMODB_ENDPOINT: ofDatabase.url,
      SQS_ENDPOINT: ofServices.url,
      S3_ENDPOINT: ofServices.url,
      TABLE_PREFIX,
      TASK_QUEUE_URL: seenAs('ai-tasks'),
      TASK_URGENT_QUEUE_URL: seenAs('ai-tasks-urgent'),
      NOTIFICATION_QUEUE_URL: seenAs('ai-task-notifications'),
      FILES_BUCKET: BUCKET,
    }
    const uses = () =>
      [...ofDatabase.uses, ...ofServices.uses].map((use) => use.replace(` ${TABLE_PREFIX}`, ' ')).sort()
    const stop = () => [ofDatabase, ofServices].map((recorder) => recorder.stop())
    return { env, uses, stop }
  }

  /** The texts of the messages that wait in a queue, which are then hidden as if somebody worked on them. */
  const take = async (name: string): Promise<string[]> => {
    const request = new ReceiveMessageCommand({ QueueUrl: urls[name], MaxNumberOfMessages: 10 })
    const { Messages = [] } = await sqs.send(request)
    return Messages.flatMap(({ Body }) => Body ?? [])
  }

  const stop = async () => {
    sqs.destroy()
    await Promise.all([database.stop(), services.stop()])
  }
  return { environmentOf, take, stop }
}
