import { capitalized, type Stage } from './tables.ts'

type Metric = readonly (string | object)[]

/** A variable of CloudFormation, which `Fn::Sub` fills in. */
const variable = (name: string) => `\${${name}}`
const lambda = (name: string) => variable(`${capitalized(name)}LambdaFunction`)
const queue = (name: string) => variable(`${name}.QueueName`)

/** A metric of several things. In a metric `.` repeats the part above it, and `...` all parts but the last. */
const sameMetric = (names: readonly string[], ...common: string[]): Metric[] =>
  names.map((name, at) => (at === 0 ? [...common, name] : ['...', name]))

/** The sum of two metrics that are not shown, and the messages that `dlq` has deleted. */
const deadLetters = (label: string, name: string): Metric[] => [
  [{ expression: `${label}_visible + ${label}_hidden`, id: label, label: `${label}, not taken in` }],
  [
    ...['AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'QueueName', queue(name)],
    { id: `${label}_visible`, visible: false },
  ],
  ['.', 'ApproximateNumberOfMessagesNotVisible', '.', '.', { id: `${label}_hidden`, visible: false }],
  ['.', 'NumberOfMessagesDeleted', '.', '.', { stat: 'Sum', label: `${label}, taken in` }],
]

const widget = (title: string, stat: string | undefined, metrics: readonly Metric[]) => ({
  title,
  region: variable('AWS::Region'),
  period: 60,
  ...(stat && { stat }),
  metrics,
})

/** What callers see, what waits, what runs, what went wrong, and who is asked how often, in rows. */
const rows = (functions: readonly string[], answering: readonly string[]) => {
  const queues = ['TaskQueue', 'TaskUrgentQueue', 'NotificationQueue'].map(queue)
  const ofQueues = (metric: string) => sameMetric(queues, 'AWS/SQS', metric, 'QueueName')
  const ofFunctions = (metric: string, names: readonly string[]) =>
    sameMetric(names.map(lambda), 'AWS/Lambda', metric, 'FunctionName')
  return [
    [
      widget('Requests', 'Sum', [
        ['AWS/ApiGateway', 'Count', 'ApiId', variable('HttpApi')],
        ['.', '4xx', '.', '.'],
        ['.', '5xx', '.', '.'],
        ['AWS/Lambda', 'UrlRequestCount', 'FunctionName', lambda('agentic'), { label: 'streams' }],
        ['.', 'Url5xxCount', '.', '.', { label: 'streams, 5xx' }],
        ['.', 'UrlRequestCount', '.', lambda('webhooks'), { label: 'webhooks by their own URL' }],
        ['.', 'Url5xxCount', '.', '.', { label: 'webhooks by their own URL, 5xx' }],
      ]),
      widget('Answers, ms', undefined, [
        ['AWS/ApiGateway', 'Latency', 'ApiId', variable('HttpApi'), { stat: 'p50', label: 'p50' }],
        ...['p95', 'p99'].map((stat) => ['...', { stat, label: stat }]),
      ]),
    ],
    [
      widget('Waiting messages', 'Maximum', ofQueues('ApproximateNumberOfMessagesVisible')),
      widget('Oldest message, running or not, s', 'Maximum', ofQueues('ApproximateAgeOfOldestMessage')),
      widget('Given up by a queue', 'Maximum', [
        ...deadLetters('tasks', 'TaskDlq'),
        ...deadLetters('announcements', 'NotificationDlq'),
      ]),
    ],
    [
      widget('Runs at once', 'Maximum', ofFunctions('ConcurrentExecutions', ['worker', 'agentic', 'notify'])),
      widget('Errors', 'Sum', ofFunctions('Errors', functions)),
      widget('Tables: units used', 'Sum', [
        [
          'AWS/DynamoDB',
          'ConsumedWriteCapacityUnits',
          'TableName',
          variable('TasksTable'),
          { label: 'tasks, written' },
        ],
        ['.', 'ConsumedReadCapacityUnits', '.', '.', { label: 'tasks, read' }],
        ['.', 'ConsumedWriteCapacityUnits', '.', variable('TaskEventsTable'), { label: 'events, written' }],
        ['.', 'ConsumedWriteCapacityUnits', '.', variable('CountersTable'), { label: 'counts, written' }],
      ]),
    ],
    [
      widget('Requests by endpoint group', 'Sum', ofFunctions('Invocations', answering)),
      widget('Time of a request by endpoint group, ms', 'p95', ofFunctions('Duration', answering)),
    ],
  ]
}

const COLUMNS = 24
const HEIGHT = 6

/** One page, with every function and those that answer requests: a function of the HTTP API is its group of endpoints. */
export const dashboard = (functions: readonly string[], answering: readonly string[], { prefix }: Stage) => {
  const widgets = rows(functions, answering).flatMap((row, y) => {
    const width = COLUMNS / row.length
    const place = (x: number) => ({ type: 'metric', x: x * width, y: y * HEIGHT, width, height: HEIGHT })
    return row.map((properties, x) => ({ ...place(x), properties }))
  })
  return {
    Resources: {
      Dashboard: {
        Type: 'AWS::CloudWatch::Dashboard',
        Properties: {
          // One for the whole account, in whatever region it is made.
          DashboardName: { 'Fn::Sub': prefix + variable('AWS::Region') },
          DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets }) },
        },
      },
    },
  }
}
