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
/** The time that Lambda needs to hand a message over and to process the outcome, beside the time of the function. */
const MARGIN = 60
/** As in serverless.yml, like the other two, which its test compares. */
const DEAD_LETTER_TIMEOUT = 60

/**
 * A rejected message backs off 1 s, 2 s, 4 s … up to five minutes, so ten receives outlast eight minutes of storage
 * that does not answer; a message that kills its function is not tried for ever.
 */
const MAX_RECEIVE_COUNT = 10
/** Ten receives that came to nothing, for want of a function that was free, outlast an hour. */
const LEAST_VISIBILITY = 360

/**
 * So late a message comes again whose function died over it; one that failed is brought back sooner. Lambda takes no
 * less than the timeout of the function. It recommends six times that, for messages that it holds while functions are
 * throttled: those that come again meanwhile are refused here, and six times 15 minutes is what a task would wait.
 *
 * A worker does not shorten this for its message, to lengthen it again with each heartbeat. Once claimed, a task is
 * brought back by its lease and the tick, in a message of its own. What could be gained is a death between the receive
 * and the claim, and most of that time is over before the function could say anything to SQS; the price is a request for
 * each task and one more for each beat.
 */
const visibilityFor = (timeoutMs: number) => Math.max(LEAST_VISIBILITY, Math.ceil(timeoutMs / 1_000) + MARGIN)

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
  // Its receives are not counted.
  visibilityTimeout: DEAD_LETTER_TIMEOUT + MARGIN,
  messageRetention: LONGEST_RETENTION,
})
