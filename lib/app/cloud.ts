import { openS3, openSqs } from '../adapters/aws/clients.ts'
import { createS3Blobs } from '../adapters/aws/s3.ts'
import { createSqsQueue } from '../adapters/aws/sqs/queue.ts'
import { createRedelivery } from '../adapters/aws/sqs/redelivery.ts'
import { createBreakers } from '../adapters/node/breakers.ts'
import { createFeed } from '../adapters/store/feed.ts'
import { badSetting, type Config } from '../config.ts'
import type { WorkPorts } from '../join/work.ts'
import type { RunTask } from '../tasks/schema.ts'
import { openBasePorts } from './cloud-base.ts'
import { isFault } from './faults.ts'

/** What only some functions have, and the others do without. */
export type Sending = Pick<WorkPorts, 'cipher' | 'outbound' | 'repositories'>

/** The outside world of a function that has to do with tasks: storage and queues of the cloud, or emulators of them. */
export const openWorkPorts = (config: Config, sending: Sending) => {
  const region = config.AWS_REGION
  const sqs = openSqs({ region, endpoint: config.SQS_ENDPOINT })
  const s3 = openS3({ region, endpoint: config.S3_ENDPOINT })
  const base = openBasePorts(config, createS3Blobs({ client: s3, bucket: required(config, 'FILES_BUCKET') }))
  const { clock } = base
  const normal = required(config, 'TASK_QUEUE_URL')
  const urgent = required(config, 'TASK_URGENT_QUEUE_URL')
  const ports: Omit<WorkPorts, 'adapters'> = {
    ...base,
    ...sending,
    feed: createFeed(base),
    taskQueue: {
      ...createSqsQueue<RunTask>({ client: sqs, urls: { urgent, normal }, clock }),
      running: true,
      concurrency: config.QUEUE_CONCURRENCY,
    },
    notificationQueue: {
      running: true,
      concurrency: config.QUEUE_NOTIFICATION_CONCURRENCY,
    },
    breakers: createBreakers({ clock, isFault }),
    random: Math.random,
    queueMode: 'sqs',
    defersFailing: true,
  }
  return { ...ports, redeliverIn: createRedelivery({ client: sqs, anyUrl: normal, clock }) }
}

const notHere = async (): Promise<never> => {
  throw new Error('This function sends nothing, has no secrets to keep and takes no repositories')
}

/** Of a function that leaves sending, and secrets, to others. */
export const withoutSending: Sending = {
  cipher: { seal: notHere, open: notHere },
  outbound: { check: notHere, send: notHere },
  repositories: { check: notHere },
}

/** What the deployment has to say; a function that lacks it does nothing. */
export const required = (
  config: Config,
  name: 'FILES_BUCKET' | 'TASK_QUEUE_URL' | 'TASK_URGENT_QUEUE_URL' | 'NOTIFICATION_QUEUE_URL',
): string => {
  const value = config[name]
  if (value === undefined) throw badSetting(`${name}: must be set in mode pro`)
  return value
}
