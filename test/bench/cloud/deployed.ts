import { ofType, type Resource, referencesIn, type Template } from '../../deploy/template.ts'

const MINUTES_A_MONTH = 60 * 730
const LEAST_DISK_MB = 512
const capital = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** What the template that is deployed says about whatever has a price. */
export const deployedBy = (template: Template) => {
  const all = (type: string) => ofType(template, type).map(([, resource]) => resource)
  const functionResource = (name: string) =>
    (template.Resources[`${capital(name)}LambdaFunction`] as Resource).Properties
  const tables = all('AWS::DynamoDB::Table').map(({ Properties }) => Properties)
  return {
    memoryMb: (name: string): number => functionResource(name).MemorySize,
    /** Gigabytes of /tmp that are paid for. */
    diskGb: (name: string): number =>
      ((functionResource(name).EphemeralStorage?.Size ?? LEAST_DISK_MB) - LEAST_DISK_MB) / 1_024,
    /** Queues that feed functions, and whether each has a limit of its own to how many invocations it makes at once. */
    sources: all('AWS::Lambda::EventSourceMapping')
      // What Lambda reads of streams is free.
      .filter(({ Properties }) => Properties.StartingPosition === undefined)
      .map(({ Properties }) => ({
        isLimited: Properties.ScalingConfig?.MaximumConcurrency !== undefined,
        queue: referencesIn(Properties.EventSourceArn)[0] ?? '',
        batchSize: Number(Properties.BatchSize),
      })),
    ticksAMonth: MINUTES_A_MONTH / scheduleMinutes(all('AWS::Events::Rule')[0]),
    /** An alarm over an expression is paid for by the metrics in it. */
    alarmMetrics: all('AWS::CloudWatch::Alarm')
      .map(({ Properties: { Metrics } }) => (Metrics ?? [{ MetricStat: {} }]) as object[])
      .reduce((sum, metrics) => sum + metrics.filter((metric) => 'MetricStat' in metric).length, 0),
    dashboards: all('AWS::CloudWatch::Dashboard').length,
    isRecoverable: tables.every(
      ({ PointInTimeRecoverySpecification: recovery }) => recovery?.PointInTimeRecoveryEnabled === true,
    ),
    keys: all('AWS::KMS::Key').length,
    secrets: all('AWS::SecretsManager::Secret').length,
    /** Tables under a key of this account; those under a key of AWS's own cost no requests for it. */
    keyedTables: tables.filter(({ SSESpecification }) => SSESpecification?.SSEEnabled === true).length,
  }
}
export type Deployed = ReturnType<typeof deployedBy>

/** `rate(1 minute)` → 1. */
const scheduleMinutes = (rule: Resource | undefined): number => {
  const minutes = /^rate\((\d+) minutes?\)$/.exec(String(rule?.Properties.ScheduleExpression))?.[1]
  if (minutes === undefined) throw new Error('The schedule is no number of minutes')
  return Number(minutes)
}
