import type { Stage } from './tables.ts'

/** A metric of Lambda that should be 0, and the alarm's text. */
type Watched = { metric: string; says: string }

const WATCHED: readonly Watched[] = [
  { metric: 'Errors', says: 'threw or ran out of time' },
  { metric: 'Throttles', says: 'found no room in the concurrency of the account' },
]

/**
 * The functions of the service, by their modules; a folder gives its function's name. `local.ts`, which `npm start` runs,
 * is none.
 */
export const functionsIn = (names: readonly string[]): string[] =>
  names.map((name) => name.replace(/\.ts$/, '')).filter((name) => name !== 'local')

/**
 * An alarm for each function and metric: an alarm over a sum takes at most ten metrics, and does not name the function.
 */
export const functionAlarms = (names: readonly string[], stage: Stage) => ({
  Resources: Object.fromEntries(
    [...names]
      .sort()
      .flatMap((name) =>
        WATCHED.map((watched) => [capitalized(name) + watched.metric, alarm(name, watched, stage)]),
      ),
  ),
})

/** `tasks` → `Tasks`, as CloudFormation names what belongs to a function. */
export const capitalized = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

const alarm = (name: string, { metric, says }: Watched, { prefix }: Stage) => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmName: `${prefix}${name}-${metric.toLowerCase()}`,
    AlarmDescription: `${name} ${says}`,
    AlarmActions: [{ Ref: 'AlarmTopic' }],
    OKActions: [{ Ref: 'AlarmTopic' }],
    Namespace: 'AWS/Lambda',
    MetricName: metric,
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: `${capitalized(name)}LambdaFunction` } }],
    Statistic: 'Sum',
    Period: 300,
    EvaluationPeriods: 1,
    ComparisonOperator: 'GreaterThanThreshold',
    Threshold: 0,
    TreatMissingData: 'notBreaching',
  },
})
