/** The definition of a standard queue. Durations are in seconds, as in SQS. */
export type QueueDefinition = {
  name: string
  visibilityTimeout: number
  messageRetention: number
  /** The queue to which SQS moves a message that was received `maxReceiveCount` times and not deleted. */
  deadLetters?: { queue: string; maxReceiveCount: number }
}

type Names = { QUEUE_NAME: string; QUEUE_NOTIFICATION_NAME: string }
/** The time limits of the queues' functions. */
type Timeouts = { taskTimeoutMs: number; notificationTimeoutMs: number }

const DAY = 86_400
// A moved message keeps its age, so the last queue has the longest retention: 14 days is SQS's limit.
const LONGEST_RETENTION = 14 * DAY
const RETENTION = 10 * DAY
/** The time that Lambda needs to deliver a message and to process the outcome, beside the function's time. */
const MARGIN = 60
/** Longer than a function behind the HTTP API runs, which writes the claim of a message, and then deletes it. */
const RUNNER_VISIBILITY = 60
const RUNNER_RETENTION = 4 * 3_600
/** The time limit of `dlq` in serverless.yml. */
const DEAD_LETTER_TIMEOUT = 60

/**
 * A rejected message backs off 1 s, 2 s, 4 s … up to five minutes, so ten receives outlast eight minutes without storage;
 * a message that kills its function is not repeated for ever.
 */
const MAX_RECEIVE_COUNT = 10
/** Ten receives without a free function outlast an hour. */
const LEAST_VISIBILITY = 360

/**
 * The time after which a message whose function died is delivered again; a failed message is returned sooner. Lambda
 * requires at least the function's time limit. It recommends six times that, for messages that it holds while functions
 * are throttled: a message that comes again meanwhile is refused here, and six times 15 minutes would delay a task too
 * much.
 *
 * A worker does not shorten this time for its message, to extend it with each heartbeat. Once claimed, a task is
 * recovered by its lease and the tick, with a new message. The gain would be limited to a death between receive and
 * claim, most of which is over before the function could call SQS; the price would be a request for each task and another
 * for each heartbeat.
 */
const visibilityFor = (timeoutMs: number) => Math.max(LEAST_VISIBILITY, Math.ceil(timeoutMs / 1_000) + MARGIN)

export const deadLetterQueueName = (name: string): string => `${name}-dlq`

/** The queue of tasks that only runners may run. */
export const runnerQueueName = (name: string): string => `${name}-runners`

export const urgentQueueName = (name: string): string => `${name}-urgent`

/** Every queue; a dead letter queue comes before those that name it. */
export const queueDefinitions = (names: Names, timeouts: Timeouts): QueueDefinition[] => {
  const { QUEUE_NAME: tasks, QUEUE_NOTIFICATION_NAME: notifications } = names
  return [
    deadLetterQueue(tasks),
    deadLetterQueue(notifications),
    queue(tasks, timeouts.taskTimeoutMs, tasks),
    queue(urgentQueueName(tasks), timeouts.taskTimeoutMs, tasks),
    queue(notifications, timeouts.notificationTimeoutMs, notifications),
    runnerQueue(runnerQueueName(tasks)),
    runnerQueue(urgentQueueName(runnerQueueName(tasks))),
  ]
}

/**
 * A message may wait here for a runner that fits, and is received and given back meanwhile: receives say nothing about it.
 * The tick repeats the message of a task that waits each hour, so an earlier one may go.
 */
const runnerQueue = (name: string): QueueDefinition => ({
  name,
  visibilityTimeout: RUNNER_VISIBILITY,
  messageRetention: RUNNER_RETENTION,
})

const queue = (name: string, timeoutMs: number, family: string): QueueDefinition => ({
  name,
  visibilityTimeout: visibilityFor(timeoutMs),
  messageRetention: RETENTION,
  deadLetters: { queue: deadLetterQueueName(family), maxReceiveCount: MAX_RECEIVE_COUNT },
})

const deadLetterQueue = (family: string): QueueDefinition => ({
  name: deadLetterQueueName(family),
  // Receives of this queue are not counted.
  visibilityTimeout: DEAD_LETTER_TIMEOUT + MARGIN,
  messageRetention: LONGEST_RETENTION,
})
