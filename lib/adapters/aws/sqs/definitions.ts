/** A standard queue as it is to exist. Durations are in seconds, as SQS has them. */
export type QueueDefinition = {
  name: string
  visibilityTimeout: number
  messageRetention: number
  /** Where SQS moves a message that was received `maxReceiveCount` times and not deleted. */
  deadLetters?: { queue: string; maxReceiveCount: number }
}

type Names = { QUEUE_NAME: string; QUEUE_NOTIFICATION_NAME: string }
/** How long the functions behind the queues may run. */
type Timeouts = { taskTimeoutMs: number; notificationTimeoutMs: number }

const DAY = 86_400
// A move keeps the age of a message, so the last stop keeps messages longest: 14 days is the most that SQS allows.
const LONGEST_RETENTION = 14 * DAY
const RETENTION = 10 * DAY
const DEAD_LETTER_VISIBILITY = 360

/**
 * A rejected message backs off 1 s, 2 s, 4 s … up to five minutes, so ten receives outlast eight minutes of storage
 * that does not answer; a message that kills its worker is not tried for ever.
 */
const MAX_RECEIVE_COUNT = 10

/**
 * Lambda wants a visibility timeout of six times the function's, for batches that it had to hold back
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html).
 */
const visibilityFor = (timeoutMs: number) => 6 * Math.ceil(timeoutMs / 1_000)

/** The queue that takes what its own could not deal with. */
export const deadLetterQueueOf = (name: string): string => `${name}-dlq`

/** The queue of priority 1. */
export const urgentQueueOf = (name: string): string => `${name}-urgent`

/** Every queue there is; a dead letter queue stands before those that name it. */
export const queueDefinitions = (names: Names, timeouts: Timeouts): QueueDefinition[] => {
  const { QUEUE_NAME: tasks, QUEUE_NOTIFICATION_NAME: notifications } = names
  return [
    deadLetterQueue(tasks),
    deadLetterQueue(notifications),
    queue(tasks, timeouts.taskTimeoutMs, tasks),
    queue(urgentQueueOf(tasks), timeouts.taskTimeoutMs, tasks),
    queue(notifications, timeouts.notificationTimeoutMs, notifications),
  ]
}

const queue = (name: string, timeoutMs: number, family: string): QueueDefinition => ({
  name,
  visibilityTimeout: visibilityFor(timeoutMs),
  messageRetention: RETENTION,
  deadLetters: { queue: deadLetterQueueOf(family), maxReceiveCount: MAX_RECEIVE_COUNT },
})

const deadLetterQueue = (family: string): QueueDefinition => ({
  name: deadLetterQueueOf(family),
  visibilityTimeout: DEAD_LETTER_VISIBILITY,
  messageRetention: LONGEST_RETENTION,
})
