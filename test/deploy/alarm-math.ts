import { runInNewContext } from 'node:vm'
import type { Resource } from './template.ts'

type Alarm = Resource['Properties']
type Query = {
  Id: string
  Expression?: string
  MetricStat?: { Stat: string; Metric: { MetricName: string } }
}
/** What a metric is at one look; one that is missing was not reported. */
export type Look = Readonly<Record<string, number>>

const STATISTICS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  Minimum: (values) => Math.min(...values),
  Maximum: (values) => Math.max(...values),
  Sum: (values) => values.reduce((sum, value) => sum + value, 0),
}

/** An alarm over one metric as one over an expression. */
const metricQueries = ({ Metrics, MetricName, Statistic }: Alarm): Query[] =>
  Metrics ?? [
    { Id: 'all', Expression: 'only' },
    { Id: 'only', MetricStat: { Stat: Statistic, Metric: { MetricName } } },
  ]

/** What an alarm makes of the looks of one minute; undefined when nothing was reported. */
export const measured = (alarm: Alarm, looks: readonly Look[]): number | undefined => {
  const queries = metricQueries(alarm)
  const values = queries.flatMap(({ Id, MetricStat }) => {
    if (!MetricStat) return []
    const reported = looks.flatMap((look) => look[MetricStat.Metric.MetricName] ?? [])
    return reported.length > 0 ? [[Id, STATISTICS[MetricStat.Stat]?.(reported)]] : []
  })
  if (values.length === 0) return undefined
  const missing = Object.fromEntries(queries.map(({ Id }) => [Id, 0]))
  const IF = (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise)
  const expression = queries.find(({ Expression }) => Expression)?.Expression ?? ''
  return runInNewContext(expression, { ...missing, ...Object.fromEntries(values), IF })
}

/** The minute, counted from 1, at whose end an alarm for values above its threshold first rings. */
export const ringsAt = (alarm: Alarm, minutes: readonly (readonly Look[])[]): number | undefined => {
  const isBad = minutes.map((looks) => (measured(alarm, looks) ?? 0) > alarm.Threshold)
  const periods = Number(alarm.EvaluationPeriods)
  const end = isBad.findIndex(
    (_, n) => n + 1 >= periods && isBad.slice(n + 1 - periods, n + 1).every(Boolean),
  )
  return end < 0 ? undefined : end + 1
}
