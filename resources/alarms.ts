import { capitalized, type Stage } from './tables.ts'

/**
 * The functions of the service, by their modules; a folder gives its function's name. `local.ts`, which `npm start` runs,
 * is none.
 */
export const functionsIn = (names: readonly string[]): string[] =>
  names.map((name) => name.replace(/\.ts$/, '')).filter((name) => name !== 'local')

type Source = { Namespace: string; Dimensions?: object[] }
const ofFunction = (name: string): Source => ({
  Namespace: 'AWS/Lambda',
  Dimensions: [{ Name: 'FunctionName', Value: { Ref: `${capitalized(name)}LambdaFunction` } }],
})
const ofQueue = (name: string): Source => ({
  Namespace: 'AWS/SQS',
  Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [name, 'QueueName'] } }],
})

const one = (source: Source, MetricName: string, Statistic: string, Period: number) => ({
  ...source,
  MetricName,
  Statistic,
  Period,
})
/** An expression over metrics of one source, each with its statistic. */
const expression = (
  [Id, Expression]: [id: string, text: string],
  Metric: Source,
  reads: Readonly<Record<string, [metric: string, statistic: string]>>,
  Period: number,
) => ({
  Metrics: [
    { Id, Expression, ReturnData: true },
    ...Object.entries(reads).map(([id, [MetricName, Stat]]) => ({
      Id: id,
      ReturnData: false,
      MetricStat: { Metric: { ...Metric, MetricName }, Stat, Period },
    })),
  ],
})

type Watched = {
  name: string
  says: string
  /** A metric, or an expression over metrics. */
  of: object
  /** It rings above this value, after so many periods in a row. */
  above?: number
  periods?: number
}

const alarm = ({ prefix }: Stage, { name, says, of, above = 0, periods = 1 }: Watched) => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmName: prefix + name,
    AlarmDescription: says,
    AlarmActions: [{ Ref: 'AlarmTopic' }],
    OKActions: [{ Ref: 'AlarmTopic' }],
    ...of,
    EvaluationPeriods: periods,
    ComparisonOperator: 'GreaterThanThreshold',
    Threshold: above,
    TreatMissingData: 'notBreaching',
  },
})

/** Two for each function: an alarm over a sum takes at most ten metrics, and does not name the function. */
const functionAlarms = (name: string): [string, Watched][] =>
  [
    ['Errors', 'threw or ran out of time'],
    ['Throttles', 'found no room in the concurrency of the account'],
  ].map(([metric = '', says]) => [
    capitalized(name) + metric,
    {
      name: `${name}-${metric.toLowerCase()}`,
      says: `${name} ${says}`,
      of: one(ofFunction(name), metric, 'Sum', 300),
    },
  ])

/** What the listener of a function with a URL answers is no error of Lambda's, whatever its status. */
const faults = (source: Source): object =>
  expression(
    ['rate', 'faults / requests'],
    source,
    { faults: ['Url5xxCount', 'Sum'], requests: ['UrlRequestCount', 'Sum'] },
    300,
  )

/**
 * `dlq` handled messages that SQS had given up, right after they arrived. The metric is the deleted messages: a received
 * message may fail there, and is then received again and again.
 */
const gaveUp = (queue: string): object => one(ofQueue(queue), 'NumberOfMessagesDeleted', 'Sum', 60)

/**
 * `dlq` did not empty the queue, because a message fails or new ones keep arriving. A failing message is in flight, or
 * hidden until its next try, and hardly ever visible: only both counts together show it. No message there is delayed. The
 * age of the oldest message is useless, since SQS leaves out messages that were received three times.
 */
const notEmpty = (queue: string): object =>
  expression(
    ['lying', 'visible + hidden'],
    ofQueue(queue),
    {
      visible: ['ApproximateNumberOfMessagesVisible', 'Maximum'],
      hidden: ['ApproximateNumberOfMessagesNotVisible', 'Maximum'],
    },
    60,
  )

/**
 * Messages wait for a worker in every minute of a period, and the oldest is too old. The age alone also covers messages of
 * running tasks, and retries that are not due. So the alarm rings
 * - when no message is received: 5 minutes after an urgent task arrived, 20 after another, 10 after an announcement;
 * - when every worker is busy, and a message of that age is being handled: after 3, 5 and 5 minutes with waiting messages;
 * - not during a long run beside short ones: each of these waits only for a moment.
 * Messages that Lambda has received without room to run them are in flight: the alarms on throttles show these.
 *
 * SQS omits metrics that are 0, and all metrics of a queue that was unused for six hours. A sum counts a missing value as
 * 0, IF leaves out a minute without `waiting`, and a minute without a value counts as good. FILL is not used: the newest
 * minute is often missing, and would become 0, so that there would never be enough bad minutes in a row.
 */
const late = (queue: string): object =>
  expression(
    ['late', 'IF(waiting > 0, age, 0)'],
    ofQueue(queue),
    {
      waiting: ['ApproximateNumberOfMessagesVisible', 'Minimum'],
      age: ['ApproximateAgeOfOldestMessage', 'Maximum'],
    },
    60,
  )

const watched = ({ prefix }: Stage): Readonly<Record<string, Watched>> => ({
  TaskGaveUp: {
    name: 'ai-tasks-gave-up',
    says: 'ai-tasks gave up on messages; the dead letters say which and why',
    of: gaveUp('TaskDlq'),
  },
  NotificationGaveUp: {
    name: 'ai-task-notifications-gave-up',
    says: 'ai-task-notifications gave up on messages; the log of dlq says which',
    of: gaveUp('NotificationDlq'),
  },
  TaskDlqNotEmpty: {
    name: 'ai-tasks-dlq-not-empty',
    says: 'For five minutes dlq has not taken in what ai-tasks gave up on; its log says why',
    of: notEmpty('TaskDlq'),
    periods: 5,
  },
  NotificationDlqNotEmpty: {
    name: 'ai-task-notifications-dlq-not-empty',
    says: 'For five minutes dlq has not taken in what ai-task-notifications gave up on; its log says why',
    of: notEmpty('NotificationDlq'),
    periods: 5,
  },
  TaskQueueLate: {
    name: 'ai-tasks-late',
    says: 'Tasks wait for a worker all the time, and the oldest came more than 15 minutes ago',
    of: late('TaskQueue'),
    above: 900,
    periods: 5,
  },
  TaskUrgentQueueLate: {
    name: 'ai-tasks-urgent-late',
    says: 'Urgent tasks wait for a worker all the time, and the oldest came more than two minutes ago',
    of: late('TaskUrgentQueue'),
    above: 120,
    periods: 3,
  },
  NotificationQueueLate: {
    name: 'ai-task-notifications-late',
    says: 'Announcements wait all the time, and the oldest came more than five minutes ago',
    of: late('NotificationQueue'),
    above: 300,
    periods: 5,
  },
  // A message stays until an operator has read and deleted it.
  StreamFailuresNotEmpty: {
    name: 'stream-failures-not-empty',
    says: 'The stream function gave up on records; its log says which and why, recount mends the counters',
    of: one(ofQueue('StreamFailures'), 'ApproximateNumberOfMessagesVisible', 'Maximum', 60),
  },
  // Counters and starts of tasks lag behind their rows; records are lost after a day.
  StreamLate: {
    name: 'stream-late',
    says: 'For three minutes the stream function has been more than a minute behind; its log says why',
    of: one(ofFunction('stream'), 'IteratorAge', 'Maximum', 60),
    above: 60_000,
    periods: 3,
  },
  StuckTasks: {
    name: 'stuck-tasks',
    says: 'The tick could not put a task back on its way; its log says which and why',
    // From the log of `tick`, which writes it when there is something to count.
    of: one({ Namespace: prefix.replace(/-$/, '') }, 'StuckTasks', 'Maximum', 300),
  },
  ApiFaults: {
    name: 'api-faults',
    says: 'More than one request in a hundred was answered 5xx',
    of: {
      // Of a count of zeros and ones the average is the rate.
      ...one({ Namespace: 'AWS/ApiGateway' }, '5xx', 'Average', 300),
      Dimensions: [{ Name: 'ApiId', Value: { Ref: 'HttpApi' } }],
    },
    above: 0.01,
  },
  StreamFaults: {
    name: 'stream-faults',
    says: 'More than one request in a hundred to the streaming function was answered 5xx',
    of: faults(ofFunction('agentic')),
    above: 0.01,
  },
  WebhookFaults: {
    name: 'webhook-faults',
    says: 'More than one event in a hundred that came to the URL of webhooks was answered 5xx',
    of: faults(ofFunction('webhooks')),
    above: 0.01,
  },
})

/** It rings below one invocation, and when no number is reported. */
const tickStopped = (stage: Stage) => {
  const { Type, Properties } = alarm(stage, {
    name: 'tick-stopped',
    says: 'The schedule has not run for five minutes; no stuck task is taken up and nothing due is sent',
    of: one(ofFunction('tick'), 'Invocations', 'Sum', 300),
    above: 1,
  })
  const whenLess = { ComparisonOperator: 'LessThanThreshold', TreatMissingData: 'breaching' }
  return { Type, Properties: { ...Properties, ...whenLess } }
}

/** The alarms of the queues, of the service as a whole, and of each function. */
export const alarms = (functions: readonly string[], stage: Stage) => {
  const all = [...functions.toSorted().flatMap(functionAlarms), ...Object.entries(watched(stage))]
  return {
    Resources: {
      ...Object.fromEntries(all.map(([name, one]) => [name, alarm(stage, one)])),
      TickStopped: tickStopped(stage),
    },
  }
}
