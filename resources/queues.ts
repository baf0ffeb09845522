import {
  deadLetterQueueName,
  type QueueDefinition,
  queueDefinitions,
  runnerQueueName,
  urgentQueueName,
} from '../lib/adapters/aws/sqs/definitions.ts'
import { readConfig } from '../lib/config/config.ts'
import type { Stage } from './tables.ts'

/** The time limits of `worker` and `notify` in serverless.yml. */
const TIMEOUTS = { taskTimeoutMs: 900_000, notificationTimeoutMs: 60_000 }

const config = readConfig({})
const { QUEUE_NAME: tasks, QUEUE_NOTIFICATION_NAME: notifications } = config

const logicalNames: Readonly<Record<string, string>> = {
  [tasks]: 'TaskQueue',
  [urgentQueueName(tasks)]: 'TaskUrgentQueue',
  [deadLetterQueueName(tasks)]: 'TaskDlq',
  [runnerQueueName(tasks)]: 'RunnerQueue',
  [urgentQueueName(runnerQueueName(tasks))]: 'RunnerUrgentQueue',
  [notifications]: 'NotificationQueue',
  [deadLetterQueueName(notifications)]: 'NotificationDlq',
}
const logicalName = (name: string): string => logicalNames[name] ?? name

/** The queues of tasks, of those for runners, and of notifications, with the dead letter queues that `dlq` empties. */
export const queueResources = (stage: Stage) => ({
  Resources: Object.fromEntries(
    queueDefinitions(config, TIMEOUTS).map((queue) => [logicalName(queue.name), resource(queue, stage)]),
  ),
})

const resource = (
  { name, visibilityTimeout, messageRetention, deadLetters }: QueueDefinition,
  { prefix }: Stage,
) => ({
  Type: 'AWS::SQS::Queue',
  Properties: {
    QueueName: prefix + name,
    VisibilityTimeout: visibilityTimeout,
    MessageRetentionPeriod: messageRetention,
    SqsManagedSseEnabled: true,
    ...(deadLetters && {
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': [logicalName(deadLetters.queue), 'Arn'] },
        maxReceiveCount: deadLetters.maxReceiveCount,
      },
    }),
  },
})
